// What a protocol's library says of a wrong request, as one sentence: its validator lists mistakes as a table, in a text or beside it.

import { isTable } from "indusagi/core";
import { RPC_CODES } from "./rpc-lines.ts";

/** Of one request: who wrote it mends one at a time. */
const MAX_TOLD = 5;

interface Mistake {
  readonly path: string;
  readonly words: string;
}

/** The message as it is sent: an error of such a library in words, anything else unchanged. */
export function inWords<Message extends object>(message: Message): Message {
  const { error } = message as { readonly error?: unknown };
  if (!isTable(error) || typeof error.message !== "string") return message;
  const { data, ...rest } = error;
  const listed = listedIn(error.message);
  if (listed !== undefined) {
    const said = sentence(listed.before, listed.mistakes);
    return { ...message, error: { ...rest, code: RPC_CODES.params, message: said } };
  }
  const mistakes = isTable(data) ? inTree(data, "") : [];
  if (mistakes.length === 0) return message;
  return { ...message, error: { ...rest, message: sentence(`${error.message}: `, mistakes) } };
}

/** The same of a text; undefined if it lists no mistakes. */
export function mistakesInWords(text: string): string | undefined {
  const listed = listedIn(text);
  return listed && sentence(listed.before, listed.mistakes);
}

function sentence(before: string, mistakes: readonly Mistake[]): string {
  const told = mistakes
    .slice(0, MAX_TOLD)
    .map(({ path, words }) => (path === "" ? words : `"${path}": ${words}`));
  const more = mistakes.length - told.length;
  return `${before}${told.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** `Invalid tools/call request: [ { "code": …, "path": […], "message": … } ]`. */
function listedIn(
  text: string,
): { readonly before: string; readonly mistakes: readonly Mistake[] } | undefined {
  const at = text.indexOf("[");
  if (at < 0) return undefined;
  let list: unknown;
  try {
    list = JSON.parse(text.slice(at));
  } catch {
    return undefined; // a bracket of another kind
  }
  if (!Array.isArray(list) || list.length === 0 || !list.every(isIssue)) return undefined;
  return { before: text.slice(0, at), mistakes: list.flatMap((issue) => mistakesOf(issue, [])) };
}

interface Issue {
  readonly code: string;
  readonly message: string;
  readonly path: readonly unknown[];
  readonly errors?: unknown;
}

function isIssue(value: unknown): value is Issue {
  if (!isTable(value)) return false;
  return typeof value.code === "string" && typeof value.message === "string" && Array.isArray(value.path);
}

/** Of several forms that a value could have, the one that it is nearest to. */
function mistakesOf({ message, path, errors }: Issue, above: readonly unknown[]): readonly Mistake[] {
  const place = [...above, ...path];
  const forms = Array.isArray(errors)
    ? errors.filter((form) => Array.isArray(form) && form.every(isIssue))
    : [];
  const [nearest] = (forms as (readonly Issue[])[]).toSorted((one, other) => one.length - other.length);
  if (nearest !== undefined && nearest.length > 0)
    return nearest.flatMap((issue) => mistakesOf(issue, place));
  return [{ path: place.join("."), words: plain(message) }];
}

/** `{ "_errors": [], "cwd": { "_errors": ["Invalid input: …"] } }`. */
function inTree(tree: Readonly<Record<string, unknown>>, path: string): readonly Mistake[] {
  const { _errors: own, ...below } = tree;
  if (!Array.isArray(own)) return [];
  return [
    ...own.map((text) => ({ path, words: plain(String(text)) })),
    ...Object.entries(below).flatMap(([key, value]) =>
      isTable(value) ? inTree(value, path === "" ? key : `${path}.${key}`) : [],
    ),
  ];
}

function plain(message: string): string {
  return message
    .replace(/^Invalid input: /, "")
    .replace(/, received undefined$/, ", found nothing")
    .replace(/, received /, ", found ");
}
