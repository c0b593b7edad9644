// The static data of an addon that is one file: a block of comments in the form of PEP 723, read without running
// anything. It says what `manifest.toml` says for a folder: version, description, and what the addon requests.
//
//   // /// indus-addon
//   // version = "1.0.0"
//   // [[capability]]
//   // kind = "alert"
//   // reason = "tells you when a build ends"
//   // ///

import { extname } from "node:path";
import type { CapabilityRequest, FailurePolicy } from "../../feature/descriptor.ts";
import { LoaderError, PYTHON_EXTENSION } from "../contract.ts";
import { FAILURE_POLICIES, readRequest } from "./manifest.ts";
import { parseToml } from "./parse-toml.ts";
import { type ManifestReport, TableReader } from "./table-reader.ts";

/** A block that begins later than this, in characters, is not found. */
export const INLINE_MANIFEST_REACH: number = 64 * 1024;

interface InlineDescriptor {
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  readonly onFailure?: FailurePolicy | undefined;
  readonly capabilities: readonly CapabilityRequest[];
}

interface InlineManifest {
  readonly descriptor: InlineDescriptor;
  readonly warnings: readonly string[];
}

/**
 * The data in the comments of a source text; undefined if it has no block. Rejects with a {@link LoaderError}: `toml` for
 * invalid TOML, at its place in the file; `invalid` for a block that is unclosed or begins wrongly, a second block, or a
 * wrong value.
 */
export async function readInlineManifest(text: string, path: string): Promise<InlineManifest | undefined> {
  const block = findBlock(text.slice(0, INLINE_MANIFEST_REACH), path);
  if (block === undefined) return undefined;
  const report: ManifestReport = { path, warnings: [] };
  const document = new TableReader(await parseToml(block, path), "", report);
  const version = document.text("version");
  const description = document.text("description");
  const onFailure = document.choice("on-failure", FAILURE_POLICIES);
  const descriptor: InlineDescriptor = {
    version,
    description,
    onFailure,
    capabilities: document.tables("capability").map(readRequest),
  };
  document.finish();
  return { descriptor, warnings: report.warnings };
}

/** An opening in another language's comment, uncommented or indented: its author meant the block, and would go without its grants. */
const LIKE_OPENING = /^[ \t]{0,40}(?:\/\/|#|\*)?[ \t]{0,40}\/\/\/[ \t]{0,40}indus-addon[ \t]{0,40}$/;

/** The block's TOML, with blanks in place of everything before and around it, so that positions match those in the file. */
function findBlock(text: string, path: string): string | undefined {
  const comment = extname(path) === PYTHON_EXTENSION ? "#" : "//";
  const opening = `${comment} /// indus-addon`;
  const lines = text.split(/\r\n|\n/);
  const starts = lines.flatMap((line, at) => (line.trimEnd() === opening ? [at] : []));
  const [start, second] = starts;
  const nearly = lines.findIndex((line) => LIKE_OPENING.test(line) && line.trimEnd() !== opening);
  if (nearly >= 0)
    refuse(path, nearly, `expected the line "${opening}", found ${JSON.stringify(lines[nearly])}`);
  if (start === undefined) return undefined;
  if (second !== undefined)
    refuse(path, second, `found a second block "${opening}"; an addon has only one. Remove one of them`);
  const rest = lines.slice(start + 1);
  const length = rest.findIndex((line) => line.trimEnd() === `${comment} ///`);
  const block = rest.slice(0, Math.max(length, 0));
  if (length < 0 || block.some((line) => !isComment(line, comment)))
    refuse(path, start, `the block "${opening}" is not closed: end it with a line "${comment} ///"`);
  const blank = " ".repeat(comment.length);
  return "\n".repeat(start + 1) + block.map((line) => blank + line.slice(comment.length)).join("\n");
}

function isComment(line: string, comment: string): boolean {
  return line.trimEnd() === comment || line.startsWith(`${comment} `);
}

function refuse(path: string, lineAt: number, problem: string): never {
  throw new LoaderError({ kind: "invalid", path }, problem, { line: lineAt + 1, column: 1 });
}
