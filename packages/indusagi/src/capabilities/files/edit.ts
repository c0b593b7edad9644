// edit: replace a snippet of a text file (seed 001, files: edit).

import { clamp } from "../../core/clamp.ts";
import { errorCode } from "../../core/faults.ts";
import { resolvePath } from "../../core/paths.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, ToolContext, ToolResult } from "../kernel/contract.ts";
import { defineTool } from "../kernel/define-tool.ts";
import { failureResult, jsonResult } from "../kernel/results.ts";
import { describeFsFailure, describeHalfCharacter, describeNonFile } from "./describe-failure.ts";
import { withPathLock } from "./path-lock.ts";
import { enforceReadGate, MODIFIED_SINCE_READ_MESSAGE, recordReadState } from "./read-state-gate.ts";
import { type Replaced, replaceSpans, withLineEndsOf } from "./replace-spans.ts";
import { findNearest, findSnippet, lineNumber, type SnippetMatch } from "./snippet-match.ts";
import { decodeFile, describe1252Gap, encodeFile, stays } from "./text-encoding.ts";

const MAX_EDIT_BYTES = 67_108_864;

export function editTool(): DefinedTool {
  return defineTool({
    name: "edit",
    description:
      "Replace a snippet of a text file, keeping its encoding. oldText must occur exactly once in the file, unless replaceAll is set; if it does " +
      "not occur literally, a match that differs only in whitespace is used. Returns a unified diff.",
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

interface Edit {
  /** As the model wrote it. */
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
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
  const gate = await enforceReadGate(context, target);
  if (gate.kind === "refused") return failureResult(gate.message);

  const file = decodeFile(await fs.readBytes(target));
  if (file.kind === "other") return failureResult(`Cannot edit ${edit.path}: ${file.reason}.`);
  const before = file.text;
  const match = findSnippet(before, edit.oldText);
  const refusal = describeRefusal(edit, before, match);
  if (refusal) return failureResult(refusal);

  const { text: after, inserted } = applyMatch(edit, before, match);
  if (after === before)
    return failureResult(`The edit changes nothing in ${edit.path}: the file already has the new text.`);
  const now = await fs.stat(target);
  if (now.modifiedMs !== info.modifiedMs || now.size !== info.size)
    return failureResult(MODIFIED_SINCE_READ_MESSAGE);
  const bytes = encodeFile(after, file.encoding);
  if (bytes === undefined) return failureResult(`Cannot edit ${edit.path}: ${describe1252Gap(edit.newText)}`);
  await fs.writeFile(target, bytes);
  await recordReadState(context, target);

  const replacements = match.spans.length;
  const { DIFF_BUDGET, renderEditDiff } = await import("./unified-diff.ts");
  const diff = clamp(renderEditDiff({ before, after, removed: match.spans, inserted }), DIFF_BUDGET);
  return jsonResult(
    { path: edit.path, replacements, diff },
    summary(edit.path, match) + stays(file.encoding),
  );
}

function applyMatch(edit: Edit, before: string, { spans, isFuzzy }: SnippetMatch): Replaced {
  // A fuzzy span excludes the whitespace at both ends of oldText, so newText's whitespace there is already in the file.
  const inserted = isFuzzy ? trimLike(edit.newText, edit.oldText) : edit.newText;
  return replaceSpans(before, spans, withLineEndsOf(before, inserted));
}

function trimLike(text: string, model: string): string {
  const start = /^\s/.test(model) ? text.trimStart() : text;
  return /\s$/.test(model) ? start.trimEnd() : start;
}

function summary(path: string, { spans, isFuzzy }: SnippetMatch): string {
  const times = spans.length === 1 ? "1 replacement" : `${spans.length} replacements`;
  return `Edited ${path}: ${times}${isFuzzy ? ", matched ignoring whitespace" : ""}.`;
}

function describeRefusal(edit: Edit, text: string, match: SnippetMatch): string | undefined {
  const { spans, places, firstStarts, isFuzzy } = match;
  if (places > 1 && !edit.replaceAll) {
    const lines = firstStarts.map((start) => lineNumber(text, start));
    const more = places > firstStarts.length ? ", …" : "";
    return (
      `oldText occurs ${places} times in ${edit.path}${isFuzzy ? ", ignoring whitespace" : ""} ` +
      `(lines ${lines.join(", ")}${more}). Include more of the surrounding text, or set replaceAll.`
    );
  }
  return spans.length === 0 ? describeMiss(edit, text) : undefined;
}

const SHOWN_CHARS = 200;

function describeMiss({ path, oldText, newText }: Edit, text: string): string {
  const applied = appliedAt(text, newText);
  if (applied) {
    return `oldText is not in ${path}, but newText is, at line ${lineNumber(text, applied.start)}: the edit appears to be already applied.`;
  }
  const nearest = findNearest(text, oldText);
  if (nearest === undefined)
    return `oldText is not in ${path}, nor is anything similar. Read the file again.`;
  const { line, lineText, differsAtLine, differsAtColumn, expected, found } = nearest;
  return (
    `oldText is not in ${path}. The closest match is at line ${line}: ${lineText.slice(0, SHOWN_CHARS)}\n` +
    `It first differs at line ${differsAtLine}, column ${differsAtColumn}: ` +
    `oldText has ${named(expected)}, the file has ${named(found)}.`
  );
}

/** A text this long does not occur by chance. */
const TELLING_CHARS = 24;

/** Where newText already is, if the edit was made before. A short text that is only part of a line can be there for other reasons. */
function appliedAt(text: string, newText: string): SnippetMatch["spans"][number] | undefined {
  const wanted = newText.trim();
  if (wanted === "") return undefined;
  const { spans, places } = findSnippet(text, newText);
  const [first] = spans;
  if (!first || wanted.length >= TELLING_CHARS) return first;
  const isLineStart = /(?:^|\n)[ \t]*$/.test(lineBefore(text, first.start)) || /^\s*\n/.test(newText);
  const isLineEnd =
    /^[ \t]*(?:\r?\n|$)/.test(text.slice(first.end)) ||
    newText.slice(newText.trimEnd().length).includes("\n");
  return places === 1 && isLineStart && isLineEnd ? first : undefined;
}

function lineBefore(text: string, at: number): string {
  return text.slice(Math.max(0, text.lastIndexOf("\n", at - 1)), at);
}

function named(character: string): string {
  if (character === "") return "nothing more";
  return character === "\n" ? "a blank line" : JSON.stringify(character);
}
