// `indus addon dev PATH`: the author's part of a console session.

import type { Disposer } from "indusagi/core";
import { createAddonVersions } from "../../addons/author/addon-versions.ts";
import { watchAddon } from "../../addons/author/watch-addon.ts";
import type { AddonSource } from "../../addons/contract.ts";
import type { TrustAsker } from "../../addons/source/decide-trust.ts";
import type { Conductor } from "../../conductor/contract.ts";
import type { IndusSession } from "../../session/open-indus.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { createAddonWorkshop } from "./addon-workshop.ts";
import type { AuthorPlace } from "./run-addon-check.ts";

export interface DevFacts extends AuthorPlace {
  readonly session: IndusSession;
  readonly askTrust?: TrustAsker;
}

export interface DevSession {
  /** Changes versions between its turns. */
  readonly conductor: Conductor;
  /** Includes the result of the first load. */
  readonly greeting: readonly string[];
  /** Stops loading. Call it before closing the session, which ends the addon's process. Never rejects. */
  readonly close: () => Promise<void>;
  /** Removes what no process needs any more. */
  readonly dispose: () => void;
}

/** Rejects if the addon cannot be watched, leaving nothing behind. */
export async function startDev(
  source: AddonSource,
  { session, cwd, home, env, secrets, parts, askTrust }: DevFacts,
): Promise<DevSession> {
  const { settings } = await loadSettings(home, cwd, parts);
  const versions = createAddonVersions(source, {
    workspace: cwd,
    home,
    env,
    requireSandbox: settings.addons?.requireSandbox === true,
    required: settings.addons?.required ?? [],
    onGateFailure: settings.onGateFailure ?? "allow",
    secrets,
    isReadOnly: session.isReadOnly,
    documents: session.documents,
    held: await session.held.open(),
  });
  const workshop = createAddonWorkshop({ source, versions, session, askTrust });
  const { conductor, reload, tell } = workshop;
  let unwatch: Disposer;
  try {
    unwatch = watchAddon(source.root, {
      onChange: () => void reload(), // it never rejects
      onLost: (why) => tell(`${source.root} is no longer watched: ${why}. Restart to see changes`),
    });
  } catch (error) {
    versions.dispose();
    throw error;
  }
  const greeting = [
    `${source.root} is reloaded on each save, between turns; you named it, so its content is trusted and its code runs.`,
  ];
  // Nobody listens to the session yet, and the first typed line can be one of the addon's commands.
  const unsubscribe = session.conductor.subscribe((event) => {
    if (event.kind === "alert") greeting.push(event.text);
    if (event.kind === "diagnostic") greeting.push(`${event.owner}: ${event.severity}: ${event.text}`);
    if (event.kind === "fault") greeting.push(event.fault.message);
  });
  await reload();
  unsubscribe();
  greeting.push(...session.lateNotices());
  return {
    conductor,
    greeting,
    async close() {
      unwatch();
      await workshop.close();
    },
    dispose: versions.dispose,
  };
}
