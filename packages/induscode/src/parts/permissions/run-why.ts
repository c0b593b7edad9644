// `indus why 'bash(git push)'`: what a session in this folder would decide about a call, part by part, by which rule from where, and what
// would change it. It runs nothing and asks nobody.

import { findBash, localFs } from "indusagi/capabilities";
import { homeFolder } from "indusagi/core";
import { realPlace } from "../../briefing/text-file.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_OK } from "../../cli/problem.ts";
import { createPermissions } from "../../deck/permissions/permissions.ts";
import { grantDeclared, installFeatures } from "../../feature/registry.ts";
import { builtinFeatures } from "../../session/features/builtin-features.ts";
import { chooseConfinement } from "../../session/permissions/command-confinement.ts";
import { permissionPolicy, readRules } from "../../session/permissions/permission-policy.ts";
import { createCommandSandbox } from "../../session/permissions/session-sandbox.ts";
import { createSessionBriefing } from "../../session/session-briefing.ts";
import { readKeptAnswers } from "../../settings/answers-file.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { indusHome } from "../../store/home.ts";
import { concerning, type Granted } from "./reach-by-answers.ts";
import { callOf, modeInWords, placeOf, whyText } from "./why-text.ts";

export async function runWhy(line: Invocation): Promise<number> {
  const { flags, words, env, parts } = line;
  const call = words[1] ?? "";
  const cwd = workingDirectory(line);
  const home = indusHome(env);
  const personHome = homeFolder(env);
  const loaded = await loadSettings(home, cwd, parts);
  const notices = [...loaded.problems];
  const kept = readKeptAnswers(home);
  notices.push(...kept.problems);
  const rules = readRules(flags, loaded, notices);
  const briefing = await createSessionBriefing({ flags, cwd, personHome, home });
  const builtins = await builtinFeatures(
    { settings: loaded.settings, folder: cwd, home, personHome },
    parts,
    env,
  );
  const { tools } = await installFeatures(builtins, grantDeclared);
  const subjects = {
    tools,
    addonTools: new Set<string>(),
    delegates: briefing.subagents.map(({ name }) => name),
    root: cwd,
    mayGrow: true, // no addon is loaded here
  };
  const policy = await permissionPolicy(rules, subjects, notices);
  const mode = { own: () => policy.mode, isDefault: () => rules.isDefault };
  const tell = (line: string): void => void notices.push(line);
  const sandbox = createCommandSandbox(chooseConfinement(flags, loaded), {
    ...{ cwd, home, personHome, env, withhold: [], policy, mode, tell, inform: tell },
    isDocument: briefing.folderDocs.isDocument,
  });
  let granted = (): Granted => ({ hosts: [], folders: [] });
  const permissions = createPermissions({
    policy,
    onGrants({ hosts, folders }) {
      granted = () => ({ hosts: hosts(), folders: folders() });
    },
    mode: sandbox?.mode,
    root: cwd,
    store: realPlace(home),
    home: personHome,
    isBash: findBash() !== undefined,
    realPath: localFs().realPath,
    files: localFs(),
    realPlace,
    readable: briefing.skillFolders,
    isDocument: briefing.folderDocs.isDocument,
    isPlanning: () => rules.startsPlanning,
    kept: { answers: kept.answers, place: kept.path, add: async () => undefined },
  });
  const request = callOf(call, { ...subjects, cwd, home: personHome });
  const place = await placeOf(request, sandbox);
  await sandbox?.look();
  const inForce = rules.startsPlanning ? "plan" : (sandbox?.mode() ?? policy.mode);
  const explanation = await permissions.explain({ ...request, ...place });
  const concerned = concerning({ ...request, ...place }, granted(), { cwd, home: personHome, realPlace });
  if (explanation.outcome === "ask" && place.confined === undefined) sandbox?.onAsked();
  for (const notice of notices) process.stderr.write(noticeLine(notice));
  const text = flags.json
    ? JSON.stringify(
        { call, mode: inForce, isDefaultMode: rules.isDefault, ...explanation, granted: concerned },
        undefined,
        2,
      )
    : whyText(call, modeInWords(inForce, rules), explanation, concerned);
  process.stdout.write(`${text}\n`);
  return EXIT_OK;
}
