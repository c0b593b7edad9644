// `indus why 'bash(git push)'`: what a session in this folder would decide about a call, part by part, because of which rule and from
// where, and what would change it. It runs nothing and asks nobody.

import { localFs } from "indusagi/capabilities";
import { homeFolder, resolvePath } from "indusagi/core";
import { realPlace } from "../briefing/text-file.ts";
import { printableLine } from "../console/printable-line.ts";
import { createPermissions } from "../deck/permissions/permissions.ts";
import { parseRule, patternKind } from "../deck/permissions/rules.ts";
import type { Access, Decision } from "../feature/contract.ts";
import { grantDeclared, installFeatures } from "../feature/registry.ts";
import { indusHome } from "../store/home.ts";
import { builtinFeatures } from "./builtin-features.ts";
import { readKeptAnswers } from "./kept-answers.ts";
import { noticeLine } from "./notice-line.ts";
import { permissionPolicy, readRules } from "./permission-policy.ts";
import { EXIT_OK, EXIT_USAGE, Problem } from "./problem.ts";
import { createSessionBriefing } from "./session-briefing.ts";
import { loadSettings } from "./settings.ts";
import { type Invocation, workingDirectory } from "./working-directory.ts";

export async function runWhy(line: Invocation): Promise<number> {
  const { flags, words, env } = line;
  const call = words[1] ?? "";
  const cwd = workingDirectory(line);
  const home = indusHome(env);
  const personHome = homeFolder(env);
  const loaded = await loadSettings(home, cwd);
  const notices: string[] = [];
  const kept = readKeptAnswers(home);
  notices.push(...kept.problems);
  const rules = readRules(flags, loaded, notices);
  const briefing = createSessionBriefing({ flags, cwd, personHome, home });
  const { tools } = await installFeatures(builtinFeatures(loaded.settings, env), grantDeclared);
  const policy = permissionPolicy(
    rules,
    {
      tools,
      addonTools: new Set<string>(),
      delegates: briefing.subagents.map(({ name }) => name),
      root: cwd,
      mayGrow: true, // no addon is loaded here
    },
    notices,
  );
  const permissions = createPermissions({
    policy,
    root: cwd,
    home: personHome,
    realPath: localFs().realPath,
    files: localFs(),
    realPlace,
    readable: briefing.skillFolders,
    isDocument: briefing.folderDocs.isDocument,
    kept: { answers: kept.answers, place: kept.path, add: async () => undefined },
  });
  const request = callOf(call, cwd, personHome);
  const explanation = await permissions.explain(request);
  for (const notice of notices) process.stderr.write(noticeLine(notice));
  const text = flags.json
    ? JSON.stringify({ call, mode: policy.mode, ...explanation }, undefined, 2)
    : linesOf(call, policy.mode, explanation).map(shown).join("\n");
  process.stdout.write(`${text}\n`);
  return EXIT_OK;
}

/** The call that a rule of this text would name to the letter. */
function callOf(
  call: string,
  cwd: string,
  home: string,
): { readonly tool: string; readonly accesses: readonly Access[] } {
  const [, written = "", about] = /^([\w.*-]+)(?:\(([\s\S]*)\))?$/.exec(call.trim()) ?? [];
  const rule = parseRule(written);
  if ("problem" in rule || written.includes("*"))
    throw new Problem(
      `indus why takes one call, as a rule would name it, e.g. 'bash(git push)' or 'edit(src/a.ts)'; found "${call}"`,
      EXIT_USAGE,
    );
  const tool = rule.builtin ?? rule.tool;
  const kind = patternKind(rule);
  const needs = {
    command: "a command",
    path: "a path",
    host: "a host",
    agent: "a delegate",
    none: "",
    any: "",
  }[kind];
  if (needs !== "" && (about === undefined || about.trim() === ""))
    throw new Problem(`${written} needs ${needs}: write indus why '${written}(…)'`, EXIT_USAGE);
  return { tool, accesses: about === undefined ? [] : accessesOf(tool, kind, about, { cwd, home }) };
}

function accessesOf(
  tool: string,
  kind: ReturnType<typeof patternKind>,
  about: string,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): readonly Access[] {
  if (kind === "command") return [{ kind: "execute", command: about, cwd }];
  if (kind === "host") return [{ kind: "network", host: about.replace(/^domain:\s*/, "").toLowerCase() }];
  if (kind === "agent") return [{ kind: "delegate", agent: about }];
  if (kind !== "path") return [];
  const path = resolvePath(cwd, about, home);
  if (tool === "edit")
    return [
      { kind: "read", path },
      { kind: "write", path },
    ];
  return [{ kind: tool === "write" ? "write" : "read", path }];
}

/** What is asked about may be anyone's text; the indent is ours. */
function shown(line: string): string {
  const indent = /^ */.exec(line)?.[0] ?? "";
  return indent + printableLine(line.slice(indent.length));
}

const OUTCOMES = { allow: "passes", ask: "asks", deny: "is refused" } as const;

function linesOf(call: string, mode: string, { outcome, rulings, change }: Decision): readonly string[] {
  return [
    `${call}  ${OUTCOMES[outcome]}  (permission mode ${mode})`,
    ...rulings.map(({ what, outcome: each, why, place }) => {
      const from = place === undefined ? "" : `  (${place})`;
      return `  ${what}  ${OUTCOMES[each]}: ${why}${from}`;
    }),
    ...(change === undefined ? [] : [`  ${change}`]),
  ];
}
