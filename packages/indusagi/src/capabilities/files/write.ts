// write: create or overwrite a text file.

import { dirname } from "node:path";
import { clamp } from "../../core/clamp.ts";
import { errorCode } from "../../core/faults.ts";
import { resolvePath } from "../../core/paths.ts";
import type { JsonValue } from "../../core/schema/json-schema.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, ToolContext } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult, textResult } from "../kernel/results.ts";
import { describeFsFailure, describeHalfCharacter } from "./describe-failure.ts";
import { shortenRows } from "./long-rows.ts";
import { keptContent, type Overwritten, overwrittenFile } from "./overwritten-file.ts";
import { withPathLock } from "./path-lock.ts";
import { gateRefusal, recordReadState } from "./read-state-gate.ts";
import { describe1252Gap, encodeFile, stays } from "./text-encoding.ts";

export function writeTool(): DefinedTool {
  return defineTool({
    name: "write",
    description:
      "Create a UTF-8 text file and any missing folders, or overwrite a file, which keeps its encoding, byte order mark and " +
      "line ends unless content has its own. To change part of a file, use edit instead.",
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
        return failureResult(`Cannot write ${path}: the path has no file name. Append one.`);
      const target = resolvePath(context.cwd, path, context.home);
      try {
        return await withPathLock(context.fs, target, async () => {
          const refusal = await gateRefusal(context, target, { action: "write", asked: path });
          if (refusal) return failureResult(refusal);
          const { encoding, before, ...file } = await overwrittenFile(context.fs, target);
          const { text: after, kept } = keptContent(content, { encoding, ...file });
          const bytes = encodeFile(after, encoding);
          if (bytes === undefined)
            return failureResult(`Cannot write ${path}: ${describe1252Gap(content, encoding)}`);
          await context.fs.mkdir(dirname(target), { recursive: true });
          await context.fs.writeFile(target, bytes);
          await recordReadState(context, target, { bytes });
          await tellChange(context, before, after);
          const size = `${bytes.length} ${bytes.length === 1 ? "byte" : "bytes"}`;
          const change = file.isText === false ? " It was not text before, and is UTF-8 now." : "";
          return textResult(`Saved ${size} to ${path}.${stays(encoding)}${kept}${change}`);
        });
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        return failureResult(describeFsFailure("write", path, error));
      }
    },
  });
}

/** Shows the change to an observer; the model knows what it wrote. */
async function tellChange(
  { framework }: ToolContext,
  before: Overwritten["before"],
  after: string,
): Promise<void> {
  const { report } = framework;
  if (!report?.diff || before === undefined) return;
  if (before === "long" || before.text.length + after.length > MAX_COMPARED)
    report.status("too long for a diff");
  else if (before.text !== after) {
    const { DIFF_BUDGET, renderUnifiedDiff } = await import("./unified-diff.ts");
    report.diff(clamp(shortenRows(renderUnifiedDiff(before.text, after)), DIFF_BUDGET));
  }
}

/** Characters of both texts: if they have little in common, the diff takes a tenth of a second. */
const MAX_COMPARED = 1_048_576;

// For a .json file, a model may send the value itself.
function asText(content: JsonValue | undefined): string {
  if (content === undefined) return "";
  return typeof content === "string" ? content : JSON.stringify(content, null, 2);
}
