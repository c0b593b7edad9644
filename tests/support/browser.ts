// A page in headless Chromium, through its protocol: what went wrong in it, what it requested, what it looks like.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { lacks } from "./needs.ts";
import { untilHolds } from "./until.ts";

const PROGRAMS = ["chromium", "chromium-browser", "google-chrome"] as const;
let program: string | undefined;

/** For `skipIf`: whether there is no browser; if so, that is recorded. */
export function lacksBrowser(): boolean {
  program ??= PROGRAMS.find((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0);
  return lacks("Chromium", program !== undefined);
}

export interface OpenPage {
  /** The value of an expression; a promise is awaited. Works regardless of the page's policy. */
  readonly evaluate: <Value>(expression: string) => Promise<Value>;
  /** Sends a command of the browser's protocol for this page. */
  readonly send: (method: string, params?: object) => Promise<Record<string, unknown>>;
  /** Errors, warnings and blocks by the page's policy. */
  readonly complaints: readonly string[];
  /** Requested addresses. */
  readonly requests: readonly string[];
}

interface Told {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** Opens a file, or an address, in a browser that is closed when the test ends. */
export async function openPage(place: string): Promise<OpenPage> {
  const folder = mkdtempSync(join(tmpdir(), "indus-browser-"));
  const quiet = ["--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"];
  const child = spawn(
    program ?? PROGRAMS[0],
    [
      "--headless",
      "--no-sandbox",
      ...quiet,
      "--remote-debugging-port=0",
      `--user-data-dir=${folder}`,
      "about:blank",
    ],
    { stdio: "ignore", detached: true },
  );
  onTestFinished(() => endBrowser(child, folder));
  const where = join(folder, "DevToolsActivePort");
  // The browser writes the file in pieces: the second line comes with the last of them.
  await untilHolds(() => {
    if (!existsSync(where) || !/^\d+\n\/\S+$/.test(readFileSync(where, "utf8").trim()))
      throw new Error("no port yet");
  });
  const [port = "", address = ""] = readFileSync(where, "utf8").trim().split("\n");
  const socket = new WebSocket(`ws://127.0.0.1:${port}${address}`);
  const waiting = new Map<number, (told: Told) => void>();
  const heard: Told[] = [];
  socket.addEventListener("message", ({ data }) => {
    const told = JSON.parse(String(data)) as Told;
    if (told.id === undefined) heard.push(told);
    else waiting.get(told.id)?.(told);
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error("the browser does not answer")));
  });
  onTestFinished(() => socket.close());
  let last = 0;
  const ask = async (
    method: string,
    params: object,
    sessionId?: string,
  ): Promise<Record<string, unknown>> => {
    const id = ++last;
    const { promise, resolve } = Promise.withResolvers<Told>();
    waiting.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    const { result = {}, error } = await promise;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const { targetId } = await ask("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true });
  const send: OpenPage["send"] = (method, params = {}) => ask(method, params, String(sessionId));
  for (const domain of ["Page", "Runtime", "Network", "Log"]) await send(`${domain}.enable`);
  await send("Page.navigate", { url: /^http:/.test(place) ? place : pathToFileURL(place).href });
  await untilHolds(() => {
    if (!heard.some(({ method }) => method === "Page.loadEventFired")) throw new Error("not loaded yet");
  });
  const params = (...methods: readonly string[]): readonly Record<string, unknown>[] =>
    heard.flatMap((told) => (methods.includes(told.method ?? "") && told.params ? [told.params] : []));
  return {
    send,
    async evaluate<Value>(expression: string) {
      const { result, exceptionDetails } = await send("Runtime.evaluate", {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
      return (result as { readonly value: Value }).value;
    },
    get complaints() {
      return params("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled").map((each) =>
        JSON.stringify(each),
      );
    },
    get requests() {
      return params("Network.requestWillBeSent").map(
        ({ request }) => (request as { readonly url: string }).url,
      );
    },
  };
}

/** The browser with all its processes, which form a group. */
async function endBrowser(child: ChildProcess, folder: string): Promise<void> {
  const left = new Promise((resolve) => child.once("exit", resolve));
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    process.kill(-child.pid, "SIGKILL");
    await left;
  }
  // Its last processes may still write for a moment.
  await untilHolds(() => rmSync(folder, { recursive: true, force: true }));
}
