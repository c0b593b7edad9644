// A web page as text for a model: Markdown from a converter on its own thread, with a deadline and a memory limit because the
// page's author may be hostile; otherwise text from the plain simplifier, which is linear and runs here.

import { Aborted } from "../../core/abort.ts";
import { describeError, errorCode } from "../../core/faults.ts";
import type { MarkdownPage } from "./html-markdown.ts";
import { nestsDeeper } from "./nesting.ts";
import { plainHtmlText } from "./plain-html-text.ts";

/** Includes starting the thread and loading the libraries (0.1 s). */
const CONVERT_DEADLINE_MS = 5_000;

/** The thread's heap. A page of 1 MiB needs 100 to 300 MB. */
const CONVERT_HEAP_MB = 512;

export interface HtmlText {
  readonly text: string;
  /** Empty if the page has none. */
  readonly title: string;
  /** What the reader should know about the conversion. */
  readonly note?: string;
}

export interface HtmlTextOptions {
  /** For relative links. */
  readonly pageUrl: string;
  readonly signal: AbortSignal;
  readonly deadlineMs?: number | undefined;
}

/**
 * The readable text of a page: its article, else the whole page, else the output of the plain simplifier; a note says so if it
 * is not the article. Rejects only with `Aborted`.
 */
export async function htmlToText(html: string, options: HtmlTextOptions): Promise<HtmlText> {
  const { page, problem } = await convertOnThread(html, options);
  if (page !== undefined && page.markdown !== "") {
    const { title, markdown: text, part } = page;
    const why = problem === undefined ? "none was recognised" : `finding it failed: ${problem}`;
    return part === "article"
      ? { text, title }
      : { text, title, note: `the whole page, not its article: ${why}` };
  }
  const text = plainHtmlText(html.slice(0, PLAIN_CHARS), options.pageUrl);
  if (problem === undefined) return { text, title: page?.title ?? "" };
  const range = html.length > PLAIN_CHARS ? `; only its first ${PLAIN_CHARS} characters` : "";
  return { text, title: "", note: `simplified without a parser, because parsing failed: ${problem}${range}` };
}

/** The most that is searched or simplified on the main thread: 0.2 s at worst, and far more text than a result can hold. */
const PLAIN_CHARS = 512 * 1024;

// The thread's whole program. It is given the converter's URL, which no bundler can then miss or rename.
const PROGRAM = `const { parentPort, workerData } = require("node:worker_threads");
const post = (page) => parentPort.postMessage(page);
import(workerData.moduleUrl).then(({ htmlConverter }) => htmlConverter.pageToMarkdown(workerData, post)).then(post);`;

interface Conversion {
  /** The best result of the thread. */
  readonly page?: MarkdownPage | undefined;
  /** Why it is not the final result. */
  readonly problem?: string | undefined;
}

async function convertOnThread(html: string, options: HtmlTextOptions): Promise<Conversion> {
  const { pageUrl, signal, deadlineMs = CONVERT_DEADLINE_MS } = options;
  const { htmlConverter } = await import("./html-markdown.ts");
  const { Worker } = await import("node:worker_threads"); // 4 ms, which no start spends
  if (signal.aborted) throw new Aborted();
  // What nests deeper further on meets the deadline.
  const { maxDepth } = htmlConverter;
  if (nestsDeeper(html.slice(0, PLAIN_CHARS), maxDepth))
    return { problem: `it nests deeper than ${maxDepth} elements` };
  const worker = new Worker(PROGRAM, {
    eval: true,
    workerData: { moduleUrl: htmlConverter.moduleUrl, html, pageUrl },
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: CONVERT_HEAP_MB },
  });
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => undefined;
  try {
    return await new Promise<Conversion>((resolve, reject) => {
      let page: MarkdownPage | undefined;
      const give = (problem?: string): void => resolve({ page, problem });
      onAbort = () => reject(new Aborted());
      signal.addEventListener("abort", onAbort, { once: true });
      timer = setTimeout(() => give(`it took over ${deadlineMs / 1_000} s`), deadlineMs);
      worker.on("message", (message: MarkdownPage) => {
        page = message;
        if (page.part !== "interim") give();
      });
      worker.once("error", (error) => give(describeFailure(error)));
      worker.once("exit", () => give("its thread ended"));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    void worker.terminate(); // not awaited: a cancelled call ends immediately
  }
}

function describeFailure(error: unknown): string {
  return errorCode(error) === "ERR_WORKER_OUT_OF_MEMORY"
    ? `it needed more than ${CONVERT_HEAP_MB} MB`
    : describeError(error);
}
