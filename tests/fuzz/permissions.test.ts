// The permission check reads shell text in two directions: what an allow rule may cover is understood as sh does, and
// what a deny rule names is found wherever it stands.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { unnamedRisk } from "../../packages/induscode/src/deck/permissions/command-risks.ts";
import type { ResolvedAccess } from "../../packages/induscode/src/deck/permissions/resolved-access.ts";
import { compileRule, parseRule } from "../../packages/induscode/src/deck/permissions/rules.ts";
import {
  commandParts,
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

const PLACES = { root: "/ws", home: "/home/me" };
function rule(source: string): ReturnType<typeof compileRule> | undefined {
  const parsed = parseRule(source);
  return "problem" in parsed ? undefined : compileRule(parsed, PLACES);
}
function ruleFor(source: string): ReturnType<typeof compileRule> {
  const compiled = rule(source);
  if (!compiled) throw new Error(source);
  return compiled;
}
const execute = (command: string) => ({
  access: { kind: "execute", command, cwd: "/ws" } as const,
  command: { parts: [], riskOf: unnamedRisk },
});

property(
  "a rule of any text is read or refused, and holds against anything",
  fc.tuple(anyText, shellText),
  ([source, command]) => {
    for (const text of [
      source,
      ...["bash", "Bash", "read", "Edit", "WebFetch", "*"].map((tool) => `${tool}(${source})`),
    ]) {
      const compiled = rule(text);
      if (!compiled) continue;
      for (const access of [
        execute(command),
        { access: { kind: "read", path: `/ws/${command}` } as const, realPath: `/ws/${command}` },
        { access: { kind: "network", host: command } as const },
      ]) {
        expect(typeof compiled.covers("bash", access)).toBe("boolean");
        expect(typeof compiled.touches("bash", access)).toBe("boolean");
      }
    }
  },
);

property(
  "an allow rule never covers a command with anything more in it, in either spelling",
  fc.tuple(shellText, shellText),
  ([before, after]) => {
    for (const allowed of ["bash(echo *)", "bash(echo:*)", "Bash(echo *)", "Bash(echo:*)"].map(ruleFor)) {
      for (const operator of [";", "&&", "|", "\n", "$(", "`", ">", "<", "&"]) {
        const command = `echo ${operator} x`;
        expect(allowed.covers("bash", execute(command))).toBe(false);
      }
      const command = `echo ${before} ${after}`;
      if (allowed.covers("bash", execute(command))) expect(simpleCommandWords(command)?.[0]).toBe("echo");
    }
  },
);

property(
  "a deny rule finds its command behind any operator, in either spelling",
  fc.tuple(shellText, shellText),
  ([before, after]) => {
    for (const denied of ["bash(rm -rf)", "Bash(rm -rf:*)", "bash(rm -rf *)", "shell(rm -rf:*)"].map(
      ruleFor,
    )) {
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
        expect(denied.touches("bash", execute(command))).toBe(true);
      }
    }
  },
);

const segment = fc.constantFrom("a", "b", ".env", "*", "**", "?", "[ab]", "{a,b}", "..", ".", "~", "", "A");
const pathText = fc.array(segment, { minLength: 1, maxLength: 8 }).map((parts) => parts.join("/"));

property(
  "what an allow rule covers, a deny rule with the same text would refuse",
  fc.tuple(pathText, pathText),
  ([pattern, path]) => {
    const access: ResolvedAccess = {
      access: { kind: "read", path: `/ws/${path}` },
      realPath: `/ws/${path}`,
    };
    for (const tool of ["read", "Read"]) {
      const compiled = rule(`${tool}(${pattern})`);
      if (compiled?.covers("read", access)) expect(compiled.touches("read", access)).toBe(true);
    }
  },
);

property(
  "splitting any command is linear",
  fc.tuple(shellText, fc.integer({ min: 1, max: 20_000 })),
  ([part, times]) => {
    const command = part.repeat(Math.min(times, 100_000 / (part.length + 1)));
    commandParts(command);
    simpleCommandWords(command);
    ruleFor("Bash(a * b * c:*)").touches("bash", execute(command));
  },
  { cost: 20 },
);
