// Command lines as an attacker or a careless model would write them, drawn from a seed. Whatever comes of them, they name nothing
// outside of the scratch folder that they are run in, start nothing but stubs and programs that look, and end by themselves.

import { readFileSync } from "node:fs";
import { EDITS, LOOKS, linesOf } from "../support/command-line-cases.ts";
import type { Draw } from "./draw.ts";

/** Separated by two blanks. */
const VOCABULARY = readFileSync(new URL("shell-words.txt", import.meta.url), "utf8");
const named = (name: string): readonly string[] =>
  [...VOCABULARY.matchAll(new RegExp(`^${name}: (.*)$`, "gm"))].flatMap(([, words = ""]) =>
    words.split("  "),
  );

/** Real ones, or a shell's own. */
const LOOKING = named("looking");
/** They only leave a trace of having been started. */
export const STUBS: readonly string[] = named("stubs");
const PLAIN = named("plain");
const ARGUMENTS = [...PLAIN, ...named("words")];
const [TARGETS, VALUES, NAMES, WRAPPERS] = [
  named("targets"),
  named("values"),
  named("names"),
  named("wrappers"),
];
const [SHELLS, SETTERS, PROGRAMS] = [named("shells"), named("setters"), named("programs")];
const OPERATORS = [";", ";", "&&", "&&", "||", "|", "|", "\n", "&", "|&", ";\n", " \\\n;", "& wait;", "; :|"];
const ODD = [..."'\"\\$`(){}[]<>|&;#!*?~=\n\t -:%^,.@+/\r"];

/** What passes by itself, so that what stands around it is what is tried. */
const ORDINARY = [LOOKS, EDITS]
  .flatMap(linesOf)
  .filter((line) => !/^(?:sleep|set|exit|bash -lc)|\n/.test(line));

/** One line, of at most some hundred characters. */
export function drawLine(draw: Draw): string {
  let line = list(draw, 2);
  for (let times = draw.below(6) === 0 ? 1 + draw.below(3) : 0; times > 0; times--)
    line = changed(draw, line);
  return line;
}

/** A character more, less or another one. */
function changed(draw: Draw, line: string): string {
  const at = draw.below(line.length + 1);
  const gone = draw.below(2);
  return line.slice(0, at) + (draw.below(3) === 0 ? "" : draw.of(ODD)) + line.slice(at + gone);
}

function list(draw: Draw, depth: number): string {
  let line = command(draw, depth);
  for (let more = draw.below(3); more > 0; more--) line += ` ${draw.of(OPERATORS)} ${command(draw, depth)}`;
  return line;
}

function command(draw: Draw, depth: number): string {
  if (depth === 0 || draw.below(5) < 2) return simple(draw);
  const inner = (): string => list(draw, depth - 1);
  const one = (): string => simple(draw);
  switch (draw.below(22)) {
    case 0:
      return `(${inner()})`;
    case 1:
      return `{ ${inner()}; }${redirection(draw)}`;
    case 2:
      return `if ${one()}; then ${inner()}; else ${one()}; fi`;
    case 3:
      return `for ${draw.of(["x", "y", "PATH"])} in ${words(draw, 3)}; do ${inner()}; done${redirection(draw)}`;
    case 4:
      return `case ${word(draw)} in ${draw.of(["a", "*", "$(rm x)", "'x'", "a|b"])}) ${inner()};; *) ${one()};; esac`;
    case 5:
      return `${draw.of(["fn", "ls", "git", "cat"])}() { ${draw.of(["tool", "echo", "rm x", "cd src", "x=rm", ":"])}; }; ${one()}`;
    case 6:
      return `while false; do ${inner()}; done`;
    case 7:
      return `! ${one()}`;
    case 8:
      return `time ${draw.of(["", "-p "])}${one()}`;
    case 9:
      return `${draw.of(SHELLS)} -c ${quoted(draw, inner())}`;
    case 10:
      return `eval ${draw.below(2) === 0 ? quoted(draw, inner()) : one()}`;
    case 11:
      return `${draw.of(WRAPPERS)} ${one()}`;
    case 12:
      return `${draw.of(WRAPPERS)} ${draw.of(["sh", "bash"])} -c ${quoted(draw, one())}`;
    case 13:
      return `echo ${word(draw)} | xargs ${draw.of(["", "-n 1 ", "-I{} ", "-0 ", "-r "])}${one()}`;
    case 14:
      return `find ${draw.of([".", "src", ""])} ${draw.of(["-name a.txt", "-type f", ""])} ${draw.of(["-exec", "-ok", "-execdir"])} ${one()} ${draw.of(["\\;", "+", "';'", "{} +"])}`;
    case 15:
      return `${draw.of(["cat", "sh", "wc -l"])} <<${draw.of(["EOF", "'EOF'", "-EOF", '"EOF"', "\\EOF"])}${redirection(draw)}\n${draw.of(["", "\t"])}${one()} $(${one()}) \`${one()}\`\n${draw.of(["EOF", "\tEOF", "EOF "])}\n${one()}`;
    case 16:
      return `${draw.of(["cd", "cd --", "pushd", "cd -P", "CDPATH=.. cd"])} ${draw.of(["src", "..", "out", "-", "", "$x", "src/..", "~", "./src", "src x"])} ${draw.of(["&&", ";", "||"])} ${inner()}`;
    case 17:
      return `exec ${draw.of(["", "3", "2", "<>", "{fd}"])}${redirection(draw)}; ${inner()}`;
    case 18:
      return `trap ${quoted(draw, one())} ${draw.of(["EXIT", "0", "DEBUG", "ERR", "CHLD"])}; ${one()}`;
    case 19:
      return `${draw.of(SETTERS)} ${assignment(draw)}; ${inner()}`;
    case 20:
      return `[[ ${draw.of(["", "! ", "-f ", "-v ", `${word(draw)} `])}${draw.of(["==", "=~", "-nt", "-gt", "!=", ""])} ${word(draw)} ]] && ${one()}`;
    default:
      return `((${draw.of(["1", "x", "x=1", "a[$(rm x)]"])})) || ${one()}`;
  }
}

function simple(draw: Draw): string {
  const kind = draw.below(8);
  if (kind < 3) return draw.of(ORDINARY);
  if (kind < 5)
    return `${draw.of(LOOKING)} ${draw.of(PLAIN).replace(/[ ;{}]/g, "\\$&")}${draw.below(3) === 0 ? redirection(draw) : ""}`;
  const before = draw.below(6) === 0 ? `${assignment(draw)} ` : "";
  const after = draw.below(3) === 0 ? redirection(draw) : "";
  if (before !== "" && draw.below(3) === 0) return before + after;
  const front = draw.below(25) === 0 ? `${redirection(draw)} ` : "";
  return `${before}${front}${program(draw)} ${words(draw, draw.below(4))}${after}${draw.below(25) === 0 ? " # rm x" : ""}`;
}

function program(draw: Draw): string {
  const name = draw.below(5) === 0 ? draw.of(STUBS) : draw.of(LOOKING);
  if (draw.below(12) !== 0) return name;
  const [first = "", rest] = [name[0], name.slice(1)];
  return draw.of([
    ...[
      `\\${name}`,
      `"${name}"`,
      `'${first}'${rest}`,
      `${first}""${rest}`,
      `${first}\\\n${rest}`,
      `/bin/${name}`,
      `./${name}`,
    ],
    ...PROGRAMS,
  ]);
}

function words(draw: Draw, count: number): string {
  return Array.from({ length: count }, () => word(draw)).join(draw.below(20) === 0 ? "\t" : " ");
}

function word(draw: Draw): string {
  const kind = draw.below(16);
  if (kind === 0) return `$(${simple(draw)})`;
  if (kind === 1) return `"$(${simple(draw)})"`;
  if (kind === 2) return draw.below(2) === 0 ? `\`${simple(draw)}\`` : `<(${simple(draw)})`;
  const text = draw.of(ARGUMENTS);
  if (kind === 3) return `'${text}'`;
  if (kind === 4) return `"${text}"`;
  if (kind === 5)
    return text.slice(0, 1) + draw.of(["''", '""', "\\", "\\\n", "$x", "$y", '"$(rm x)"']) + text.slice(1);
  if (kind === 6) return text + draw.of(ARGUMENTS);
  return kind < 12 ? draw.of(PLAIN).replace(/[ ;{}]/g, "\\$&") : text;
}

function assignment(draw: Draw): string {
  return draw.of(NAMES) + draw.of(["=", "=", "=", "+=", "[0]="]) + draw.of(VALUES);
}

function redirection(draw: Draw): string {
  const descriptor = draw.of(["", "", "", "2", "1", "3", "{fd}"]);
  const operator = draw.of([">", ">", ">", ">>", "<", "<", ">|", "<>", ">&", "&>", "&>>", "<<<", "<&"]);
  return ` ${descriptor}${operator}${draw.of(["", " "])}${draw.of(TARGETS)}`;
}

/** Within quotes of either kind, sometimes with what ends them too early. */
function quoted(draw: Draw, text: string): string {
  if (draw.below(12) === 0) return `'${text}'`;
  if (draw.below(3) > 0) return `'${text.replaceAll("'", "'\\''")}'`;
  return `"${draw.below(2) === 0 ? text.replace(/["\\$`]/g, "\\$&") : text.replace(/["\\]/g, "\\$&")}"`;
}
