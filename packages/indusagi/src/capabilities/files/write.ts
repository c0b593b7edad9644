// write: create or overwrite a text file (seed 001, files: write).

import { dirname } from "node:path";
import { errorCode } from "../../core/faults.ts";
import type { JsonValue } from "../../core/json-schema.ts";
import { resolvePath } from "../../core/paths.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, Fs } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult, textResult } from "../kernel/results.ts";
import { describeFsFailure, describeHalfCharacter } from "./describe-failure.ts";
import { withPathLock } from "./path-lock.ts";
import { enforceReadGate, recordReadState } from "./read-state-gate.ts";
import { describe1252Gap, encodeFile, encodingOf, stays, type TextEncoding, UTF_8 } from "./text-encoding.ts";

export function writeTool(): DefinedTool {
  return defineTool({
    name: "write",
    description:
      "Create a UTF-8 text file, with the folders it needs, or overwrite one in the encoding it has. To change a part of a " +
      "file, use edit instead.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, absolute or relative to the working folder." },
        content: { type: "string", description: "The whole new content. Default: empty." },
      },
      required: ["path"],
      additionalProperties: false,
    },
    run: async (input, context) => {
      const args = new ArgumentReader(input);
      const path = args.requiredPath("path");
      if (args.problem) return failureResult(args.problem);

      const content = asText(args.raw("content"));
      if (!content.isWellFormed()) return failureResult(describeHalfCharacter("content"));
      if (/(?:^|\/)\s*$/.test(path))
        return failureResult(
          `Cannot write ${path}: the path names a folder. Give the file's name behind it.`,
        );
      const target = resolvePath(context.cwd, path, context.home);
      try {
        return await withPathLock(context.fs, target, async () => {
          const gate = await enforceReadGate(context, target);
          if (gate.kind === "refused") return failureResult(gate.message);
          const encoding = await encodingToKeep(context.fs, target);
          const bytes = encodeFile(
            encoding.markBytes > 0 ? content.replace(/^\ufeff/, "") : content,
            encoding,
          );
          if (bytes === undefined) return failureResult(`Cannot write ${path}: ${describe1252Gap(content)}`);
          await context.fs.mkdir(dirname(target), { recursive: true });
          await context.fs.writeFile(target, bytes);
          await recordReadState(context, target);
          const size = `${bytes.length} ${bytes.length === 1 ? "byte" : "bytes"}`;
          return textResult(`Saved ${size} to ${path}.${stays(encoding)}`);
        });
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        return failureResult(describeFsFailure("write", path, error));
      }
    },
  });
}

// A file is recognised by its opening.
const OPENING_BYTES = 4_194_304;

/** The encoding of the text being overwritten; UTF-8 for a new file and for one that is not text. */
async function encodingToKeep(fs: Fs, path: string): Promise<TextEncoding> {
  try {
    const opening = await fs.readBytes(path, { start: 0, maxBytes: OPENING_BYTES });
    const verdict = encodingOf(opening, opening.length < OPENING_BYTES);
    return verdict.kind === "text" ? verdict.encoding : UTF_8;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return UTF_8; // the file does not exist, or writing gives a better error
  }
}

// A model writing a .json file can pass the value itself.
function asText(content: JsonValue | undefined): string {
  if (content === undefined) return "";
  return typeof content === "string" ? content : JSON.stringify(content, null, 2);
}
