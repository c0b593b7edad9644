// Sessions of features: each feature has its own and sees no one else's. They are background delegates that report to the
// feature and not to the model, may do what both the session and the feature may, and end with the feature.

import type { Disposer } from "indusagi/core";
import type { FeatureSessions } from "../../feature/sessions-service.ts";
import type { Background } from "./background-delegates.ts";
import { type BackgroundDesk, DelegateProblem } from "./delegate-desk.ts";
import { createFeatureSessions, type FeatureSessionsDeps, type OwnSessions } from "./feature-sessions.ts";

export interface AddonSessionsDeps extends Omit<FeatureSessionsDeps, "elsewhere"> {
  /** How many of the session's delegates are working. */
  readonly elsewhere: () => number;
  /** Reports each feature that leaves. */
  readonly onRemoved: (listener: (feature: string) => Promise<void>) => Disposer;
}

export interface AddonSessions extends BackgroundDesk {
  readonly of: (feature: string) => FeatureSessions;
  readonly countWorking: () => number;
  /** Ends all. Returns how many were still working. */
  readonly close: () => Promise<number>;
}

export function createAddonSessions(deps: AddonSessionsDeps): AddonSessions {
  const owners = new Map<string, OwnSessions>();
  const countWorking = (besides?: Background): number =>
    [...owners.values()].reduce(
      (sum, { background }) => sum + (background === besides ? 0 : background.countWorking()),
      0,
    );
  const elsewhere = (own: Background): number => deps.elsewhere() + countWorking(own);
  const unfollow = deps.onRemoved(async (feature) => owners.get(feature)?.leave());
  const find = (id: string): { readonly background: Background; readonly own: string } => {
    const at = id.lastIndexOf("/");
    const owned = owners.get(id.slice(0, Math.max(0, at)));
    if (!owned) throw new DelegateProblem(`no addon has a session "${id.slice(0, 100)}"`);
    return { background: owned.background, own: id.slice(at + 1) };
  };
  return {
    list: () =>
      [...owners].flatMap(([feature, { background }]) =>
        background.list().map((one) => ({ ...one, id: `${feature}/${one.id}` })),
      ),
    send(id, message) {
      const { background, own: name } = find(id);
      return background.send(name, message);
    },
    async stop(id) {
      const { background, own: name } = find(id);
      return background.stop(name);
    },
    countWorking,
    of(feature) {
      const owned = owners.get(feature) ?? createFeatureSessions(feature, { ...deps, elsewhere });
      owners.set(feature, owned);
      return owned.sessions;
    },
    async close() {
      unfollow();
      const still = await Promise.all([...owners.values()].map(({ background }) => background.close()));
      return still.reduce((sum, each) => sum + each, 0);
    },
  };
}
