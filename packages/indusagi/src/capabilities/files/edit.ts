// edit: replace a snippet of a text file.

import { clamp } from "../../core/clamp.ts";
import { errorCode } from "../../core/faults.ts";
import { resolvePath } from "../../core/paths.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, ToolContext, ToolResult } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult, jsonResult } from "../kernel/results.ts";
import { describeFsFailure, describeHalfCharacter, describeNonFile } from "./describe-failure.ts";
import { describeRefusal, describeUnclear, type Edit } from "./edit-refusals.ts";
import { shortenRows } from "./long-rows.ts";
import { withPathLock } from "./path-lock.ts";
import { gateRefusal, MODIFIED_SINCE_READ_MESSAGE, recordReadState } from "./read-state-gate.ts";
import { replaceSpans } from "./replace-spans.ts";
import { findSnippet, type SnippetMatch } from "./snippet-match.ts";
import { decodeFile, describe1252Gap, encodeFile, stays } from "./text-encoding.ts";

const MAX_EDIT_BYTES = 67_108_864;

export function editTool(): DefinedTool {
  return defineTool({
    name: "edit",
    description:
      "Replace a snippet of a text file, keeping its encoding. oldText must occur exactly once in the file, unless replaceAll is set; if it does " +
      "not occur literally, a match that differs only in whitespace is used, and newText gets the file's indentation. Returns a unified diff.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, absolute or relative to the working folder." },
        oldText: { type: "string", description: "The text to replace, with enough context to be unique." },
        newText: { type: "string", description: "The replacement text." },
        replaceAll: { type: "boolean", description: "Replace every occurrence. Default false." },
      },
      required: ["path", "oldText", "newText"],
      additionalProperties: false,
    },
    run: async (input, context) => {
      const args = new ArgumentReader(input);
      const edit: Edit = {
        path: args.requiredPath("path"),
        oldText: args.requiredText("oldText"),
        newText: args.presentText("newText"),
        replaceAll: args.flag("replaceAll"),
      };
      if (args.problem) return failureResult(args.problem);
      if (!edit.newText.isWellFormed()) return failureResult(describeHalfCharacter("newText"));
      if (edit.oldText === edit.newText) {
        return failureResult("oldText and newText are identical, so there is nothing to change.");
      }
      const target = resolvePath(context.cwd, edit.path, context.home);
      try {
        return await withPathLock(context.fs, target, () => applyEdit(edit, target, context));
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        return failureResult(describeFsFailure("edit", edit.path, error));
      }
    },
  });
}

async function applyEdit(edit: Edit, target: string, context: ToolContext): Promise<ToolResult> {
  const { fs } = context;
  const info = await fs.stat(target);
  const nonFile = describeNonFile("edit", edit.path, info);
  if (nonFile) return failureResult(nonFile);
  if (info.size > MAX_EDIT_BYTES) {
    return failureResult(
      `Cannot edit ${edit.path}: it has ${info.size} bytes, and the limit is ${MAX_EDIT_BYTES}.`,
    );
  }
  const unread = await gateRefusal(context, target, { action: "edit", asked: edit.path });
  if (unread) return failureResult(unread);

  const file = decodeFile(await fs.readBytes(target));
  if (file.kind === "other") return failureResult(`Cannot edit ${edit.path}: ${file.reason}.`);
  const before = file.text;
  const match = findSnippet(before, edit.oldText);
  const refusal = describeRefusal(edit, before, match);
  if (refusal) return failureResult(refusal);

  const { editReplacements } = await import("./edit-replacements.ts");
  const found = editReplacements(before, match, edit);
  if (found.kind === "unclear") return failureResult(describeUnclear(edit, before, found.place));
  const { text: after, removed, inserted } = replaceSpans(before, found.replacements);
  if (after === before)
    return failureResult(`The edit changes nothing in ${edit.path}: the file already has the new text.`);
  const now = await fs.stat(target);
  if (now.modifiedMs !== info.modifiedMs || now.size !== info.size)
    return failureResult(MODIFIED_SINCE_READ_MESSAGE);
  const bytes = encodeFile(after, file.encoding);
  if (bytes === undefined)
    return failureResult(`Cannot edit ${edit.path}: ${describe1252Gap(edit.newText, file.encoding)}`);
  await fs.writeFile(target, bytes);
  await recordReadState(context, target, { bytes });

  const replacements = match.spans.length;
  const { DIFF_BUDGET, renderEditDiff } = await import("./unified-diff.ts");
  const diff = clamp(shortenRows(renderEditDiff({ before, after, removed, inserted })), DIFF_BUDGET);
  return jsonResult(
    { path: edit.path, replacements, diff },
    summary(edit.path, match) + stays(file.encoding),
  );
}

function summary(path: string, { spans, isFuzzy }: SnippetMatch): string {
  const times = spans.length === 1 ? "1 replacement" : `${spans.length} replacements`;
  return `Edited ${path}: ${times}${isFuzzy ? ", matched ignoring whitespace" : ""}.`;
}
