// What a session in this folder would install, inspected without a session.

import { homeFolder } from "indusagi/core";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { createRegistry, NOBODY } from "../../feature/registry.ts";
import { builtinFeatures } from "../../session/features/builtin-features.ts";
import { grantedAddons } from "../../session/features/granted-addons.ts";
import { heldNamesHere } from "../../session/features/held-names-here.ts";
import { namedAddons } from "../../session/features/named-addons.ts";
import { installSessionFeatures, type SessionFeatures } from "../../session/features/session-features.ts";
import { learnKeptSecrets, secretVariables } from "../../session/kept-secrets.ts";
import { commandsOf, lacksIn } from "../../session/part-features.ts";
import { refuseUnsafe } from "../../session/permissions/permission-policy.ts";
import { createSessionBriefing, type SessionBriefing } from "../../session/session-briefing.ts";
import { type LoadedSettings, loadSettings } from "../../settings/load-settings.ts";
import { ownProviderNames } from "../../settings/provider-names.ts";
import { turnedOff } from "../../settings/switched-features.ts";
import { indusHome } from "../../store/home.ts";

export interface FeaturesHere {
  readonly cwd: string;
  /** The product's home folder. */
  readonly home: string;
  readonly features: SessionFeatures;
  readonly settings: LoadedSettings;
  readonly briefing: SessionBriefing;
  /** Problems with the settings and the addons. */
  readonly problems: readonly string[];
}

/** For the requested working directory. Throws a {@link Problem} if no session would start with the settings. */
export async function featuresHere(line: Invocation): Promise<FeaturesHere> {
  const { flags, env, startedIn, secrets, parts } = line;
  const home = indusHome(env);
  const personHome = homeFolder(env);
  const cwd = workingDirectory(line);
  const loaded = await loadSettings(home, cwd, parts);
  refuseUnsafe(loaded); // an addon that is installed for the first time runs
  const { settings, problems } = loaded;
  secrets.learnSettings(settings, env);
  learnKeptSecrets(home, secrets);
  const secretEnv = secretVariables({ env, home }, secrets);
  const held = await heldNamesHere(home);
  const { aliases, outputStyle } = settings;
  const briefing = await createSessionBriefing({
    ...{ flags, cwd, personHome, home, aliases, parts, outputStyle },
    heldBack: held.refusal,
  });
  const named = await namedAddons(flags, settings, { cwd, home, personHome, startedIn });
  const features = await installSessionFeatures({
    cwd,
    home,
    builtins: [
      ...(await builtinFeatures(
        { settings, folder: cwd, home, personHome, delegates: briefing.subagents },
        parts,
        env,
      )),
      await commandsOf(parts),
    ],
    registry: createRegistry({
      ...NOBODY,
      secrets: secrets.granted(secretEnv),
      lacks: lacksIn(parts, secretEnv, settings),
      providerNames: ownProviderNames(settings),
    }),
    off: turnedOff(settings),
    granted: grantedAddons(flags, settings, { cwd, personHome }),
    named: named.sources,
    requireSandbox: settings.addons?.requireSandbox === true,
    required: settings.addons?.required ?? [],
    onGateFailure: settings.onGateFailure ?? "allow",
    documents: briefing.documentsAt,
    held,
    env,
    secretEnv,
    secrets,
  });
  await features.registry.dispose(); // what remains is data to inspect
  held.settle();
  return {
    cwd,
    home,
    features,
    settings: loaded,
    briefing,
    problems: [
      ...problems,
      ...named.problems,
      ...held.lines(cwd),
      ...features.lacking(),
      ...features.problems,
      ...features.warnings,
    ],
  };
}
