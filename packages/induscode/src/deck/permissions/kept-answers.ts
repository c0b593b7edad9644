// Answers that outlive a session. Each is kept as it was shown: exactly that, or a rule on how a command begins. Such a rule is offered
// for one plain command that is understood, and what is kept is never wider than what the person read.

import { isInside, trimEndOf } from "indusagi/core";
import type { RuleLayer } from "../../feature/decision.ts";
import type { KeepOffer } from "../../feature/permission.ts";
import { OUTSIDE } from "../../feature/tool-names.ts";
import { protectedBelow } from "../../store/protected-names.ts";
import type { KeptAnswer, SessionApproval } from "../contract.ts";
import { innerCommands, programName } from "../shell/wrappers.ts";
import type { Open } from "./decision-types.ts";
import type { ResolvedAccess } from "./resolved-access.ts";
import { compileRule, type PermissionRule, parseRule } from "./rules.ts";
import { describeApproval, grantFor } from "./session-grants.ts";
import { simpleCommandWords } from "./shell-words.ts";

/** Programs that run, or destroy, whatever they are given: no rule on how their command begins is offered or accepted. */
const NO_PREFIX: ReadonlySet<string> = new Set(
  (
    "sh bash dash zsh fish ksh mksh tcsh csh busybox toybox python pypy node nodejs deno bun perl ruby php lua luajit tclsh expect " +
    "Rscript julia osascript pwsh powershell eval exec source . " +
    "sudo doas su ssh env xargs find parallel watch timeout nohup nice time command builtin rm rmdir dd mkfs shred " +
    "chmod chown kill pkill killall docker podman kubectl curl wget nc socat tar rsync scp awk gawk mawk nawk sed crontab at systemctl"
  ).split(" "),
);

/** Programs whose second word says what to do: a rule on the name alone would cover nearly everything. */
const NEEDS_SECOND: ReadonlySet<string> = new Set(
  "git npm npx pnpm yarn bunx uv uvx pip pipx poetry cargo go gh dotnet mvn gradle bundle rake composer mix apt brew".split(
    " ",
  ),
);

/** What can be kept of what is open; undefined if nothing can: an answer then holds for the session at most. */
export function keepOffer(
  tool: string,
  { access: shown, isAsked }: Pick<Open, "access" | "isAsked">,
  root: string,
): KeepOffer | undefined {
  if (isAsked || shown === undefined) return undefined;
  const exact = exactAnswer(tool, shown, root);
  if (exact === undefined) return undefined;
  const prefix = suggestedPrefix(tool, shown, root);
  return {
    exact: describeKept(exact),
    folder: root,
    prefix,
  };
}

/** Exactly what was shown; undefined if it is not kept. */
function exactAnswer(tool: string, shown: ResolvedAccess, root: string): KeptAnswer | undefined {
  const { access, realPath } = shown;
  if (access.kind === "execute" && (access.variables || access.cwd !== root)) return undefined;
  if (access.kind === "write") {
    // Files that act later, and files whose real place is unknown, are asked about each time.
    if (realPath === undefined || isInside(root, realPath) || protectedBelow("/", realPath)) return undefined;
    return { approval: { kind: "write", tool, place: realPath, whole: false } };
  }
  if (access.kind === "read" && (realPath === undefined || isInside(root, realPath))) return undefined;
  const approval = grantFor(tool, shown, root);
  return approval && { approval };
}

/** What an answer keeps: exactly what was shown, or a rule for `pattern`; a problem if that would not be what was asked about. */
export function keptAnswer(
  tool: string,
  shown: ResolvedAccess,
  {
    root,
    home,
    pattern,
  }: { readonly root: string; readonly home: string; readonly pattern?: string | undefined },
): KeptAnswer | { readonly problem: string } {
  const exact = exactAnswer(tool, shown, root);
  if (exact === undefined) return { problem: "you are asked about this every time" };
  const { access } = shown;
  if (pattern === undefined || (access.kind === "execute" && pattern === access.command)) return exact;
  if (suggestedPrefix(tool, shown, root) === undefined)
    return { problem: "only this exact text can be kept" };
  const rule = prefixRule(shown.leaving ? OUTSIDE : tool, pattern);
  if ("problem" in rule) return rule;
  if (!compileRule(rule, { root, home }).covers(tool, shown))
    return { problem: `"${pattern}" does not cover this command` };
  return { rule: rule.source };
}

/** The rule that a person wrote about how a command begins. */
export function prefixRule(tool: string, pattern: string): PermissionRule | { readonly problem: string } {
  const words = pattern.trim().split(/\s+/);
  const [program = "", second] = words;
  const name = programName(program) ?? "";
  if (
    words.length < 2 ||
    words.at(-1) !== "*" ||
    words.slice(0, -1).some((word) => !/^[\w@%+=:,./-]+$/.test(word))
  )
    return { problem: `"${pattern}" must be plain words with a star at the end, such as npm test *` };
  if (
    NO_PREFIX.has(withoutVersion(name)) ||
    innerCommands([
      { text: name, value: name },
      { text: "x", value: "x" },
    ]).length > 0
  )
    return {
      problem: `"${name}" can run or destroy whatever it is given, so only the exact command can be kept`,
    };
  if (NEEDS_SECOND.has(name) && second === "*")
    return {
      problem: `"${pattern}" would allow nearly everything; specify what ${name} may do, such as ${name} test *`,
    };
  const rule = parseRule(`${tool}(${words.join(" ")})`);
  return "problem" in rule ? { problem: rule.problem } : rule;
}

/** `python` of `python3.12`. */
function withoutVersion(program: string): string {
  const bare = trimEndOf(program, (character) => "0123456789.".includes(character));
  return bare === "" ? program : bare;
}

/** The beginning of the command, as far as it says what is done: `npm run build *` for `npm run build -- --watch`. */
function suggestedPrefix(tool: string, shown: ResolvedAccess, root: string): string | undefined {
  const { access, command } = shown;
  if (access.kind !== "execute" || access.cwd !== root || command?.unclear !== undefined) return undefined;
  const [part, ...others] = command?.parts ?? [];
  if (!part || others.length > 0 || part.unclear !== undefined || part.isHidden || part.inner)
    return undefined;
  if (part.variables.length > 0 || part.files.length > 0 || part.isFunction) return undefined;
  const values = part.words.map(({ value }) => value);
  if (values.length === 0 || values.includes(undefined)) return undefined;
  const words = values as readonly string[];
  const plain = words.findIndex((word, at) => at > 0 && !/^[a-z][\w:-]*$/i.test(word));
  const said = words.slice(0, plain === -1 ? words.length : plain);
  const length = said[1] === "run" || said[1] === "exec" ? 3 : 2;
  const prefix = `${said.slice(0, length).join(" ")} *`;
  const rule = prefixRule(shown.leaving ? OUTSIDE : tool, prefix);
  if ("problem" in rule) return undefined;
  return compileRule(rule, { root, home: root }).covers(tool, shown) ? prefix : undefined;
}

/** A kept answer in the words in which it was shown. */
export function describeKept(kept: KeptAnswer): string {
  return "rule" in kept ? kept.rule : describeApproval(kept.approval);
}

/** A kept answer in the form used by the permissions of a session in `root`; undefined if it is for another folder. */
export function keptHere(
  kept: KeptAnswer,
  root: string,
  place: string,
): { readonly rule: PermissionRule } | { readonly approval: SessionApproval } | undefined {
  if (kept.folder !== undefined && kept.folder !== root) return undefined;
  const layer: RuleLayer = kept.folder === undefined ? "person" : "folder";
  const source = "rule" in kept ? kept.rule : plainCommand(kept.approval);
  const rule = source === undefined ? undefined : parseRule(source);
  if (rule && !("problem" in rule)) return { rule: { ...rule, place, layer } };
  if ("rule" in kept) return undefined;
  const { approval } = kept;
  return { approval: approval.kind === "execute" ? { ...approval, cwd: root } : approval };
}

/** The rule for exactly one plain command; undefined for a line that only matches as a whole text. */
function plainCommand(approval: SessionApproval): string | undefined {
  if (approval.kind !== "execute" || !["bash", "process"].includes(approval.tool)) return undefined;
  const { tool, command, outside } = approval;
  const isPlain = !/[*?]/.test(command) && simpleCommandWords(command)?.join(" ") === command;
  return isPlain ? `${outside ? OUTSIDE : tool}(${command})` : undefined;
}
