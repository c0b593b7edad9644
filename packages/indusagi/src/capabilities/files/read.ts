// read: a text file with line numbers, or a byte range of it.

import { basename } from "node:path";
import { errorCode } from "../../core/faults.ts";
import { resolvePath } from "../../core/paths.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, Fs, FsEntryInfo, ToolContext, ToolResult } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult, textResult } from "../kernel/results.ts";
import { readBytesAsText } from "./byte-window.ts";
import { describeFsFailure, describeNonFile } from "./describe-failure.ts";
import { findSpelling } from "./find-spelling.ts";
import { count, describeEncoding, LINE_OVERHEAD_BYTES, viewLines } from "./line-view.ts";
import {
  type LineWindow,
  NotInEncoding,
  READ_LIMITS,
  type ReadLimits,
  readWindow,
  windowOf,
} from "./line-window.ts";
import { readPastOutcome } from "./past-outcome.ts";
import { MAX_PAGES, MAX_PICTURE_BYTES, PDF, type Picture, pictureIn } from "./picture.ts";
import { recordReadState } from "./read-state-gate.ts";
import { decodeFile, encodingOf, isUtf8Inside, type TextEncoding } from "./text-encoding.ts";

/** The tool; `limits` are for tests. */
export function readTool(limits?: ReadLimits): DefinedTool {
  return defineTool({
    name: "read",
    description:
      "Read a text file (UTF-8, UTF-16 with a byte order mark, else Windows-1252), or view a picture (PNG, JPEG, GIF, WebP) or a PDF. " +
      "Each line is prefixed with its number and a tab. Use offset and limit to read part of a long file, or byteOffset if a line is too long.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, absolute or relative to the working folder." },
        offset: { type: "integer", minimum: 1, description: "First line to show, from 1. Default 1." },
        limit: {
          type: "integer",
          minimum: 1,
          description: "Number of lines to show, or of bytes with byteOffset. Default: all.",
        },
        byteOffset: {
          type: "integer",
          minimum: 0,
          description: "Start at this byte, from 0, and show the text as it is, without line numbers.",
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
    run: async (input, context) => {
      const args = new ArgumentReader(input);
      const path = args.requiredPath("path");
      const offset = args.positiveInt("offset");
      const limit = args.positiveInt("limit") ?? Number.POSITIVE_INFINITY;
      const byteOffset = args.naturalInt("byteOffset");
      if (args.problem) return failureResult(args.problem);
      if (offset !== undefined && byteOffset !== undefined)
        return failureResult('Use either "offset" (a line) or "byteOffset" (a byte), not both.');
      const lines = { offset, limit };
      const past = readPastOutcome(path, lines, context);
      if (past) return past;

      try {
        const found = await locate(context.fs, resolvePath(context.cwd, path, context.home));
        const nonFile = describeNonFile("read", path, found.info);
        if (nonFile) return failureResult(nonFile);
        const request: ReadRequest = { path, found, limit, limits: limits ?? READ_LIMITS };
        return byteOffset === undefined
          ? await readLines({ ...request, offset: offset ?? 1 }, context)
          : await readBytes({ ...request, byteOffset }, context);
      } catch (error) {
        if (error instanceof NotInEncoding) return failureResult(`Cannot read ${path}: ${error.message}`);
        if (errorCode(error) === undefined) throw error;
        return failureResult(describeFsFailure("read", path, error));
      }
    },
  });
}

interface ReadRequest {
  /** As the model wrote it. */
  readonly path: string;
  readonly found: Located;
  readonly limit: number;
  readonly limits: ReadLimits;
}

async function readLines(request: LineRequest, context: ToolContext): Promise<ToolResult> {
  const { path, found, offset } = request;
  const isLarge = found.info.size > request.limits.wholeBytes;
  const bytes = isLarge ? undefined : await context.fs.readBytes(found.path);
  const window = bytes ? windowIn(bytes, request, context) : await windowOfLarge(request, context);
  if (typeof window === "object" && "mediaType" in window) return showPicture(window, request, context);
  if (typeof window === "string") return failureResult(`Cannot read ${path}: ${window}.`);
  const { totalLines } = window;
  if (totalLines !== undefined && offset > Math.max(1, totalLines))
    return failureResult(`${path} has ${count(totalLines, "line")}: offset ${offset} is past its end.`);
  await recordReadState(context, found.path, { info: found.info, bytes });
  if (totalLines === 0) {
    const { name, markBytes } = window.encoding;
    const mark = markBytes > 0 ? ` except for its ${name} byte order mark` : "";
    return textResult([`The file is empty${mark}.`, ...spelling(found)].join(" "));
  }
  const { header, body } = viewLines(window, context.budget);
  return textResult(`${[header, ...spelling(found)].join(" ")}\n${body}`);
}

async function showPicture(
  { mediaType, bytes }: Picture,
  { path, found }: ReadRequest,
  context: ToolContext,
): Promise<ToolResult> {
  const size = count(bytes.length, "byte");
  const isDocument = mediaType === PDF;
  const name = isDocument ? "document" : "picture";
  if (bytes.length > MAX_PICTURE_BYTES)
    return failureResult(
      `Cannot show ${path}: it is a ${name} (${mediaType}) of ${size}; the limit is ${MAX_PICTURE_BYTES}. Make a smaller copy and read that.`,
    );
  const pages = isDocument ? (await import("./pdf-pages.ts")).pagesOf(bytes) : 0;
  if (pages > MAX_PAGES)
    return failureResult(
      `Cannot show ${path}: it has ${pages} pages; the limit is ${MAX_PAGES}. Extract the pages that matter (qpdf), or the text (pdftotext).`,
    );
  const length = pages > 0 ? `, ${count(pages, "page")}` : "";
  await recordReadState(context, found.path, { info: found.info, bytes });
  context.framework.report?.picture({
    kind: "image",
    mediaType,
    data: Buffer.from(bytes).toString("base64"),
  });
  return textResult(
    [`A ${name} (${mediaType}, ${size}${length}), shown with this result.`, ...spelling(found)].join(" "),
  );
}

type LineRequest = ReadRequest & { readonly offset: number };

/** The requested lines, a picture, or why the file is neither. */
function windowIn(
  bytes: Uint8Array,
  { offset, limit }: LineRequest,
  { framework }: ToolContext,
): LineWindow | Picture | string {
  const shown = framework.report && pictureIn(bytes); // without this handle it cannot be shown
  if (shown) return shown;
  const file = decodeFile(bytes);
  return file.kind === "text" ? windowOf(file.text, file.encoding, { offset, limit }) : file.reason;
}

async function windowOfLarge(
  { found, offset, limit, limits }: LineRequest,
  { fs, budget, signal }: ToolContext,
): Promise<LineWindow | string> {
  const encoding = await encodingOfLarge(fs, found, limits);
  if (typeof encoding === "string") return encoding;
  return readWindow(fs, found.path, {
    encoding,
    size: found.info.size,
    offset,
    limit,
    signal,
    maxBytes: budget.maxBytes,
    lineOverheadBytes: LINE_OVERHEAD_BYTES,
    limits,
  });
}

const OPENING_BYTES = 4_096;
const SAMPLE_BYTES = 65_536;

// Of a large file the opening, the middle and the end are examined; what else is not UTF-8 shows up in the windows.
async function encodingOfLarge(
  fs: Fs,
  { path, info: { size } }: Located,
  limits: ReadLimits,
): Promise<TextEncoding | string> {
  const opening = await fs.readBytes(path, {
    start: 0,
    maxBytes: Math.min(OPENING_BYTES, limits.wholeBytes),
  });
  const { mediaType } = pictureIn(opening) ?? {};
  if (mediaType !== undefined)
    return `it is ${mediaType} of more than ${MAX_PICTURE_BYTES} bytes, which is the limit. Make a smaller copy and read that`;
  const verdict = encodingOf(opening, false);
  if (verdict.kind === "other") return verdict.reason;
  if (verdict.encoding.markBytes > 0) return verdict.encoding;
  const maxBytes = Math.min(SAMPLE_BYTES, limits.wholeBytes);
  for (const start of [Math.floor((size - maxBytes) / 2), size - maxBytes]) {
    const sample = await fs.readBytes(path, { start, maxBytes });
    const nul = sample.indexOf(0);
    if (nul >= 0 && !isUtf8Inside(sample))
      return `it is not text: it has a NUL at byte ${start + nul}, and is not valid UTF-8`;
  }
  return verdict.encoding;
}

async function readBytes(
  request: ReadRequest & { readonly byteOffset: number },
  context: ToolContext,
): Promise<ToolResult> {
  const { path, found, limit, limits, byteOffset } = request;
  const { fs, budget } = context;
  const isLarge = found.info.size > limits.wholeBytes;
  const whole = isLarge ? undefined : await fs.readBytes(found.path);
  const verdict = whole && encodingOf(whole);
  const encoding =
    verdict === undefined
      ? await encodingOfLarge(fs, found, limits)
      : "encoding" in verdict
        ? verdict.encoding
        : verdict.reason;
  if (typeof encoding === "string") return failureResult(`Cannot read ${path}: ${encoding}.`);
  const size = whole?.length ?? found.info.size;
  if (byteOffset >= Math.max(1, size))
    return failureResult(`${path} has ${count(size, "byte")}: byteOffset ${byteOffset} is past its end.`);
  await recordReadState(context, found.path, { info: found.info, bytes: whole });
  if (size === 0) return textResult(["The file is empty.", ...spelling(found)].join(" "));
  const maxBytes = Math.max(0, budget.maxBytes);
  const view = await readBytesAsText(fs, found.path, { encoding, start: byteOffset, limit, maxBytes });
  const rest = size - view.end;
  const header = [
    `Showing bytes ${view.start}–${view.end - 1} of ${size}.`,
    ...(rest > 0 ? [`${count(rest, "byte")} remaining: continue with byteOffset ${view.end}.`] : []),
    ...(view.encoding.name === "UTF-8" ? [] : [describeEncoding(view.encoding)]),
    ...spelling(found),
  ];
  return textResult(`${header.join(" ")}\n${view.text}`);
}

function spelling({ path, isOtherSpelling }: Located): readonly string[] {
  return isOtherSpelling ? [`The file's name is ${JSON.stringify(basename(path))}.`] : [];
}

interface Located {
  readonly path: string;
  readonly info: FsEntryInfo;
  readonly isOtherSpelling: boolean;
}

async function locate(fs: Fs, path: string): Promise<Located> {
  try {
    return { path, info: await fs.stat(path), isOtherSpelling: false };
  } catch (error) {
    const sibling = errorCode(error) === "ENOENT" ? await findSpelling(fs, path) : undefined;
    if (sibling === undefined) throw error;
    return { path: sibling, info: await fs.stat(sibling), isOtherSpelling: true };
  }
}
