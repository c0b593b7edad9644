// `indus addon check PATH`: runs the addon's registration once, in its sandbox, with a temporary home folder.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeFolder } from "indusagi/core";
import { type AddonCheck, checkAddon } from "../../addons/author/check-addon.ts";
import type { AddonSource } from "../../addons/contract.ts";
import { createTieredLoader } from "../../addons/kinds/tiered-loader.ts";
import { addonLogPath } from "../../addons/process/addon-log.ts";
import type { Registration } from "../../addons/process/protocol/messages.ts";
import { createRegistrationCache, registrationKey } from "../../addons/process/registration-cache.ts";
import { createSandbox } from "../../addons/sandbox/sandbox.ts";
import { hashAddon } from "../../addons/source/content-hash.ts";
import type { Part } from "../../cli/part.ts";
import type { Secrets } from "../../cli/secrets.ts";
import { tidyOnSignals } from "../../cli/signals.ts";
import { NOBODY } from "../../feature/registry.ts";
import { builtinFeatures } from "../../session/features/builtin-features.ts";
import { heldNamesHere } from "../../session/features/held-names-here.ts";
import { secretVariables } from "../../session/kept-secrets.ts";
import { commandsOf } from "../../session/part-features.ts";
import { refuseUnsafe } from "../../session/permissions/permission-policy.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { ownProviderNames } from "../../settings/provider-names.ts";
import { homePath } from "../../store/home-files.ts";

export interface AuthorPlace {
  /** The working directory, as a real path. */
  readonly cwd: string;
  /** The product's home folder. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: Secrets;
  /** Their commands' names are taken. */
  readonly parts: readonly Part[];
}

interface CheckPlace extends Omit<AuthorPlace, "secrets"> {
  readonly secrets: Pick<Secrets, "held">;
}

/** A check with the last lines that the addon printed, and how its process failed. */
export interface LoggedCheck extends AddonCheck {
  readonly printed: readonly string[];
  /** What its program registered, if it has one and that can be kept. */
  readonly registration: Registration | undefined;
}

const MAX_PRINTED_LINES = 20;

/** Runs the addon's registration. Never rejects because of the addon. */
export async function runCheck(
  source: AddonSource,
  { cwd, home, env, secrets, parts }: CheckPlace,
  { tryOut }: Pick<Parameters<typeof checkAddon>[1], "tryOut"> = {},
): Promise<LoggedCheck> {
  const loaded = await loadSettings(home, cwd, parts);
  refuseUnsafe(loaded);
  const { settings } = loaded;
  const place = { settings, folder: cwd, home, personHome: homeFolder(env) };
  const throwaway = mkdtempSync(join(tmpdir(), "indus-check-"));
  // A process of the addon that is just ending may still write there.
  const tidy = (): void =>
    rmSync(throwaway, { recursive: true, force: true, maxRetries: 10, retryDelay: 10 });
  const forget = tidyOnSignals(tidy);
  const held = await heldNamesHere(home);
  try {
    const check = await checkAddon(source, {
      loader: createTieredLoader({
        held: await held.open(),
        workspace: cwd,
        home: throwaway,
        answersIn: home,
        env,
        secretEnv: secretVariables({ env, home }, secrets),
        requireSandbox: settings.addons?.requireSandbox === true,
        sandbox: createSandbox({
          recordPath: homePath(home, "sandboxLevel"), // probed once per machine
          search: { path: env.PATH, workspace: cwd },
        }),
      }),
      builtins: [...(await builtinFeatures(place, parts, env)), await commandsOf(parts)],
      host: { ...NOBODY, providerNames: ownProviderNames(settings) },
      tryOut,
    });
    const key = registrationKey(hashAddon(source.root));
    return {
      ...check,
      printed: printedBy(check.description?.id ?? source.id, throwaway),
      registration: createRegistrationCache({ home: throwaway }).find(key),
    };
  } finally {
    held.settle();
    forget();
    tidy();
  }
}

function printedBy(id: string, home: string): readonly string[] {
  const path = addonLogPath(home, id);
  if (!existsSync(path)) return []; // most print nothing
  return readFileSync(path, "utf8").trimEnd().split("\n").slice(-MAX_PRINTED_LINES);
}
