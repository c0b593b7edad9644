// Answers what a command's file asks for in its turn: rules that hold until the turn ends, another model for it, and files.

import { brief, resolvePath } from "indusagi/core";
import { fileFrame } from "../briefing/file-frame.ts";
import { scanImports } from "../briefing/import-scan.ts";
import { findFile, readTextFile } from "../briefing/text-file.ts";
import { HOST_ASKS } from "../console/ui-lines.ts";
import { PROMPTS } from "../deck/builtins/prompt-commands.ts";
import type { CommandTurn, TurnWishes, WishedModel } from "../deck/builtins/turn-wishes.ts";
import type { RuleSubjects } from "../deck/permissions/check-rules.ts";
import { type PermissionRule, parseRule } from "../deck/permissions/rules.ts";
import type { SessionUi } from "../feature/ui.ts";
import { inHome } from "../store/home.ts";
import type { MadeSession } from "./open-facts.ts";

const MAX_FILES = 20;
/** Of larger files the model gets only the names; it reads the parts that it needs. */
const MAX_FILE_BYTES: number = 256 * 1024;
const MAX_RULES = 100;
/** A question shows whole what a yes to it lets pass. */
const MAX_SHOWN_CHARS = 400;

interface CommandTurnFacts extends Pick<MadeSession, "conductor" | "permits" | "lend"> {
  readonly cwd: string;
  readonly home: string;
  readonly personHome: string;
  readonly subjects: () => RuleSubjects;
  readonly ui: SessionUi | undefined;
}

export function commandTurn(facts: CommandTurnFacts): CommandTurn {
  const { conductor, lend, permits, cwd, personHome, ui } = facts;
  /** What a repository's files asked for and got, in this session. */
  const agreed = new Set<string>();
  let takeBack = (): void => undefined;
  const leave = (): void => {
    takeBack();
    takeBack = () => undefined;
  };
  conductor.subscribe(
    (event) => {
      if (event.kind === "entry" && event.entry.type === "end") leave();
    },
    { pieces: false },
  );
  return { begin, useModel, leave, files };

  async function begin(
    source: string,
    { allowedTools, isOfRepository }: TurnWishes,
    tell: (text: string) => void,
  ): Promise<void> {
    leave();
    const rules = await rulesOf(allowedTools, source, tell);
    if (rules.length === 0 || (isOfRepository && !(await isAgreed(source, rules, tell)))) return;
    leave(); // while the person was asked, another one may have begun
    takeBack = lend(rules);
  }

  async function useModel({ name, problem }: WishedModel, tell: (text: string) => void): Promise<void> {
    const why =
      problem ??
      (conductor.status().busy
        ? "the command joins a turn that is already running"
        : (await conductor.setModel(name, "turn"))?.message);
    if (why !== undefined) tell(`its model ${name} is not used: ${why}`);
  }

  async function rulesOf(
    written: readonly string[],
    source: string,
    tell: (text: string) => void,
  ): Promise<readonly PermissionRule[]> {
    if (written.length === 0) return [];
    const { ruleProblem } = await import("../deck/permissions/check-rules.ts");
    const problemOf = (rule: PermissionRule): string | undefined =>
      rule.isOutside
        ? `"${rule.source}" lets commands leave the sandbox, which no file can`
        : ruleProblem(rule, "allow", facts.subjects())?.text;
    if (written.length > MAX_RULES) tell(`only the first ${MAX_RULES} of its allowed-tools are used`);
    return written.slice(0, MAX_RULES).flatMap((each) => {
      const rule = parseRule(each);
      const problem = "problem" in rule ? rule.problem : problemOf(rule);
      if (problem === undefined && !("problem" in rule))
        return [{ ...rule, place: `${source}: allowed-tools`, layer: "command" as const }];
      tell(`allowed-tools: ${problem}; it is ignored`);
      return [];
    });
  }

  /** A repository's words grant nothing: the person is asked once in a session, about exactly these. */
  async function isAgreed(
    source: string,
    rules: readonly PermissionRule[],
    tell: (text: string) => void,
  ): Promise<boolean> {
    const named = rules.map((rule) => rule.source).join(", ");
    const key = `${source}\n${named}`;
    if (agreed.has(key)) return true;
    const isShort = named.length <= MAX_SHOWN_CHARS;
    if (ui === undefined || !isShort) {
      const why = isShort ? "nobody is here to ask" : "they are too long for one question";
      const own = inHome("~/.indus/commands", facts);
      tell(
        `allowed-tools have no effect: the command comes from a repository, and ${why}. Allow what it needs with --allow, or move it to ${own} (${brief(named)})`,
      );
      return false;
    }
    const question = `${source}, a file in this repository, asks to use these without a question while this command runs: ${named}. Allow it?`;
    const isYes =
      (await ui.ask(HOST_ASKS, { kind: "confirm", question }, new AbortController().signal)) === true;
    if (isYes) agreed.add(key);
    return isYes;
  }

  async function files(text: string, tell: (text: string) => void): Promise<string> {
    const blocks: string[] = [];
    const named = [...new Set(scanImports(text))].filter((path) => fileAt(path) !== undefined);
    if (named.length > MAX_FILES) tell(`only the first ${MAX_FILES} of ${named.length} files are inserted`);
    for (const path of named.slice(0, MAX_FILES)) {
      const found = await readNamed(path);
      if ("why" in found) tell(`@${brief(path)} is not inserted: ${found.why}`);
      else blocks.push(`\n\n${fileFrame(path, found.text)}`);
    }
    return blocks.join("");
  }

  function fileAt(path: string): string | undefined {
    const found = findFile(resolvePath(cwd, path, personHome));
    return found?.stats.isFile() ? found.realPath : undefined;
  }

  /** What is read is the file that was decided about: a link on its way can change. */
  async function readNamed(path: string): Promise<{ readonly text: string } | { readonly why: string }> {
    const real = fileAt(path);
    if (real === undefined) return { why: "it is not a file any more" };
    const accesses = [{ kind: "read", path: real } as const];
    const request = { tool: "read", input: { path: real }, accesses, by: PROMPTS };
    const refusal = await permits(request, new AbortController().signal);
    if (refusal !== undefined) return { why: refusal };
    const file = readTextFile(real, MAX_FILE_BYTES);
    if (!file.ok) return { why: file.problem };
    if (!file.isWhole) return { why: `it is larger than ${MAX_FILE_BYTES / 1024} KiB` };
    return fileAt(path) === real ? { text: file.text } : { why: "it changed while it was read" };
  }
}
