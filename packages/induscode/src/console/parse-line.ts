// What a typed line is: a task for the model, or a command.

/**
 * `empty` is ignored; `text` goes to the model; a command's name has no slash; `shell` is a shell command whose output the
 * model sees (`!`) or not (`!!`).
 */
export type ParsedLine =
  | { readonly kind: "empty" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "command"; readonly name: string; readonly args: string }
  | { readonly kind: "shell"; readonly command: string; readonly isShared: boolean };

// `/name` or `/name args`. A second slash makes it a path: `/usr/bin is broken` is text for the model.
const COMMAND = /^\/([^\s/]+)(?:\s+(\S[\s\S]*)?)?$/;

/** Typed alone, it asks for the keys and commands, and is no task. */
export const HELP = "?";

const SHELL = /^(!!?)[ \t]*([^\s!][\s\S]*)$/;

/** Parses one typed line; surrounding blanks are ignored. */
export function parseLine(line: string): ParsedLine {
  const text = line.trim();
  if (text === "") return { kind: "empty" };
  if (text === HELP) return { kind: "command", name: HELP, args: "" };
  const [, signs, shell] = SHELL.exec(text) ?? [];
  if (shell !== undefined) return { kind: "shell", command: shell, isShared: signs === "!" };
  const [, name, args = ""] = COMMAND.exec(text) ?? [];
  return name === undefined ? { kind: "text", text } : { kind: "command", name, args };
}

/** Joins lines that end in a backslash with the next one, with a line break in between. */
interface Continuation {
  /** The whole text, or undefined while it continues. */
  readonly push: (line: string) => string | undefined;
  readonly pending: () => boolean;
  /** The text collected so far when no further line comes, or undefined. */
  readonly end: () => string | undefined;
}

/** An empty {@link Continuation}. Two backslashes at the end stay two backslashes. */
export function createContinuation(): Continuation {
  let parts: string[] = [];
  const take = (): string => {
    const text = parts.join("\n");
    parts = [];
    return text;
  };
  return {
    push: (line) => {
      const goesOn = trailingBackslashes(line) % 2 === 1;
      parts.push(goesOn ? line.slice(0, -1) : line);
      return goesOn ? undefined : take();
    },
    pending: () => parts.length > 0,
    end: () => (parts.length > 0 ? take() : undefined),
  };
}

function trailingBackslashes(line: string): number {
  let count = 0;
  while (line.at(-1 - count) === "\\") count += 1;
  return count;
}
