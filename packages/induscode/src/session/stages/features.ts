// Third stage: the built-in features, those of whoever opens the session, the addons, and what people's files add to the prompt.

import type { SubagentProfile } from "../../briefing/contract.ts";
import { limitedLines } from "../../cli/limited-lines.ts";
import { Problem } from "../../cli/problem.ts";
import { promptCommandsFeature } from "../../deck/builtins/prompt-commands.ts";
import type { RegistryHost } from "../../feature/host.ts";
import type { FeatureModule } from "../../feature/install.ts";
import type { FeatureRegistry } from "../../feature/registry.ts";
import { ownProviderNames } from "../../settings/provider-names.ts";
import { turnedOff } from "../../settings/switched-features.ts";
import { LookBudget } from "../../store/look-budget.ts";
import { builtinFeatures } from "../features/builtin-features.ts";
import { grantedAddons } from "../features/granted-addons.ts";
import { type HeldNamesHere, heldNamesHere } from "../features/held-names-here.ts";
import { type NamedAddons, namedAddons } from "../features/named-addons.ts";
import { installSessionFeatures, type SessionFeatures } from "../features/session-features.ts";
import { commandsOf, lacksIn } from "../part-features.ts";
import { createSessionBriefing, type SessionBriefing } from "../session-briefing.ts";
import { DOCTOR, MEND, partPlace, type StartSettings } from "./settings.ts";

export interface StartFeatures {
  readonly features: SessionFeatures;
  readonly briefing: SessionBriefing;
  readonly profiles: readonly SubagentProfile[];
  readonly held: HeldNamesHere;
}

/** What the registry of a session is told, and what it may know. */
export function registryHost({ options, secrets, secretEnv, loaded, notices }: StartSettings): RegistryHost {
  return {
    diagnostic: notices.diagnostic,
    fault: notices.fault,
    secrets: secrets.granted(secretEnv),
    lacks: lacksIn(options.parts ?? [], secretEnv, loaded.settings),
    providerNames: ownProviderNames(loaded.settings),
  };
}

/** Throws a {@link Problem} if an addon that must run does not. */
export async function openFeatures(
  start: StartSettings,
  registry: FeatureRegistry,
  lateNotices: () => readonly string[],
): Promise<StartFeatures> {
  const { options, loaded, notices, personHome, main, startedIn } = start;
  const { flags, cwd, home, lent, leaveOut } = options;
  const held = await heldNamesHere(home);
  notices.lines.push(...limitedLines(held.lines(cwd), DOCTOR));
  const look = new LookBudget();
  const briefing = await createSessionBriefing({
    ...{ flags, cwd, personHome, home, look },
    heldBack: held.refusal,
    aliases: loaded.settings.aliases,
    outputStyle: loaded.settings.outputStyle,
    parts: options.parts ?? [],
  });
  const profiles = lent?.profiles ?? briefing.subagents;
  const named = await namedAddons(flags, loaded.settings, { cwd: main, home, personHome, startedIn });
  notices.lines.push(...limitedLines(named.problems, MEND));
  const found = { briefing, profiles, held };
  const features = await install(start, { ...found, registry, look, named: named.sources });
  if (leaveOut === undefined) {
    notices.lines.push(...lateNotices());
    const lacking = features.lacking(); // what is put there later can be required
    if (lacking.length > 0) throw new Problem(lacking.join("\n"));
  }
  return { ...found, features };
}

interface ToInstall extends Omit<StartFeatures, "features"> {
  readonly registry: FeatureRegistry;
  readonly look: LookBudget;
  readonly named: NamedAddons["sources"];
}

async function install(start: StartSettings, found: ToInstall): Promise<SessionFeatures> {
  const { options, secrets, secretEnv, loaded, rules, personHome, main } = start;
  const { registry, look, named, held, briefing } = found;
  const { flags, cwd, home, askTrust, leaveOut } = options;
  const { settings } = loaded;
  return installSessionFeatures({
    cwd,
    addonsIn: main,
    home,
    look,
    registry,
    builtins: await builtins(start, found),
    off: turnedOff(settings),
    granted: grantedAddons(flags, settings, { cwd: main, personHome }),
    named,
    isReadOnly: rules.mode === "read-only",
    requireSandbox: settings.addons?.requireSandbox === true,
    required: settings.addons?.required ?? [],
    onGateFailure: settings.onGateFailure ?? "allow",
    documents: briefing.documentsAt,
    held,
    env: options.env,
    secretEnv,
    secrets,
    askTrust: askTrust ? (question) => askTrust(secrets.value(question)) : undefined,
    leaveOut,
  });
}

/** The tools for what only a person can answer. */
async function personTools(isHere: boolean): Promise<FeatureModule> {
  return (await import("../../deck/builtins/person.ts")).personFeature({ isHere });
}

async function builtins(
  start: StartSettings,
  { profiles, briefing }: ToInstall,
): Promise<readonly FeatureModule[]> {
  const { options, rules, confinement } = start;
  const { env, ui, parts = [] } = options;
  // Somebody at a console can switch to auto.
  const mayConfine = confinement.isAlways || rules.mode === "auto" || ui !== undefined;
  return [
    ...(await builtinFeatures(partPlace(start, profiles), parts, env, {
      isConfined: confinement.sandbox !== "off" && mayConfine,
    })),
    ...(options.front ? [await commandsOf(parts)] : []), // nobody types in print mode
    ...(ui || rules.startsPlanning ? [await personTools(ui !== undefined)] : []),
    ...(options.features ?? []),
    promptCommandsFeature(briefing.commands), // last: it takes no name of another's
  ];
}
