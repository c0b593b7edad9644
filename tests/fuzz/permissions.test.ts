// The permission check reads shell text in two directions: what an allow rule may cover is understood as sh does, and
// what a deny rule names is found wherever it stands.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { parseRule, ruleCovers, ruleTouches } from "../../packages/induscode/src/deck/permissions/rules.ts";
import {
  possibleCommands,
  simpleCommandWords,
} from "../../packages/induscode/src/deck/permissions/shell-words.ts";
import * as fc from "../support/fast-check.ts";
import { anyText, textOf } from "./inputs.ts";
import { property, watchPrototypes } from "./property.ts";

watchPrototypes();

const folder = mkdtempSync(join(tmpdir(), "indus-fuzz-shell-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
for (const name of ["a", "b.txt", "-n"]) writeFileSync(join(folder, name), ""); // for a glob to find

// Nothing here can do harm in a shell whose PATH is empty.
const shellPieces = [
  ...[
    "a",
    "b.txt",
    "-n",
    "--x=1",
    "A=1",
    "=",
    "%s",
    "/",
    "./a",
    "~",
    "~/a",
    "^",
    "@",
    "+",
    ",",
    ":",
    "%1",
    "!",
    "!!",
    "#",
  ],
  ...[
    "'",
    '"',
    "'a b'",
    '"a b"',
    "''",
    '""',
    "\\",
    "\\\\",
    "\\ ",
    " ",
    "  ",
    "\t",
    "\n",
    "\r",
    "\x0b",
    "\u00a0",
    "é",
    "\x81",
  ],
  ...[
    "$",
    "$A",
    "$" + "{A}",
    "$(echo x)",
    "`echo y`",
    "$((1+1))",
    "*",
    "?",
    "[ab]",
    "{a,b}",
    "{1..3}",
    "a{",
    "}",
  ],
  ...[
    ";",
    "&",
    "&&",
    "|",
    "||",
    ">",
    "<",
    "2>",
    "<<",
    "(",
    ")",
    "if",
    "then",
    "time",
    "function",
    "in",
    "-",
    "--",
  ],
];
const shellText = textOf(shellPieces, 8).filter((text) => text.isWellFormed());

for (const shell of ["/bin/sh", "/bin/bash"]) {
  property(
    `whatever an allow rule may cover, ${shell} reads as the very same words`,
    fc.array(shellText, { minLength: 1, maxLength: 40 }),
    (commands) => {
      const understood = commands.flatMap((command) => {
        const words = simpleCommandWords(command);
        // A shell passes over empty lines before a command, but not before the words of one.
        return words === undefined ? [] : [{ line: command.replace(/^[ \t\n]+/, ""), words }];
      });
      const script = understood.map(({ line }) => `printf '%s\\0' ${line}\nprintf '\\001\\0'\n`).join("");
      const options = { cwd: folder, env: { PATH: "" }, stdio: "pipe" } as const;
      const output = execFileSync(shell, ["-c", script], options).toString();
      expect(output.split("\0").slice(0, -1)).toEqual(understood.flatMap(({ words }) => [...words, "\x01"]));
    },
    { cost: 30, program: shell },
  );
}

const rule = (source: string): ReturnType<typeof parseRule> => parseRule(source);
const execute = (command: string) => ({ access: { kind: "execute", command, cwd: "/ws" } as const });

property(
  "a rule of any text is read or refused, and holds against anything",
  fc.tuple(anyText, shellText),
  ([source, command]) => {
    for (const text of [source, `bash(${source})`, `read(${source})`, `*(${source})`]) {
      const parsed = rule(text);
      if ("problem" in parsed) continue;
      for (const access of [
        execute(command),
        { access: { kind: "read", path: `/ws/${command}` } as const, realPath: `/ws/${command}` },
        { access: { kind: "network", host: command } as const },
      ]) {
        expect(typeof ruleCovers(parsed, "bash", access, "/ws")).toBe("boolean");
        expect(typeof ruleTouches(parsed, "bash", access, "/ws")).toBe("boolean");
      }
    }
  },
);

property(
  "an allow rule never covers a command with anything more in it",
  fc.tuple(shellText, shellText),
  ([before, after]) => {
    const allowed = rule("bash(echo *)");
    if ("problem" in allowed) throw new Error(allowed.problem);
    for (const operator of [";", "&&", "|", "\n", "$(", "`", ">", "<", "&"]) {
      const command = `echo ${operator} x`;
      expect(ruleCovers(allowed, "bash", execute(command), "/ws")).toBe(false);
    }
    const command = `echo ${before} ${after}`;
    if (ruleCovers(allowed, "bash", execute(command), "/ws"))
      expect(simpleCommandWords(command)?.[0]).toBe("echo");
  },
);

property(
  "a deny rule finds its command behind any operator",
  fc.tuple(shellText, shellText),
  ([before, after]) => {
    const denied = rule("bash(rm -rf)");
    if ("problem" in denied) throw new Error(denied.problem);
    for (const operator of [
      ";",
      "&&",
      "|",
      "||",
      "\n",
      "$(",
      "`",
      "&",
      "(",
      "{ ",
      "sudo",
      "env A=1",
      "sh -c '",
    ]) {
      const command = `${before} ${operator} rm   -rf ${after}`;
      expect(ruleTouches(denied, "bash", execute(command), "/ws")).toBe(true);
    }
  },
);

property(
  "splitting any command is linear",
  fc.tuple(shellText, fc.integer({ min: 1, max: 20_000 })),
  ([part, times]) => {
    possibleCommands(part.repeat(Math.min(times, 100_000 / (part.length + 1))));
    simpleCommandWords(part.repeat(Math.min(times, 100_000 / (part.length + 1))));
  },
  { cost: 20 },
);
