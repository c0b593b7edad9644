// The features of a registry, in order: what they contribute as views, who hears of a change, and when what left is disposed of.

import { createDisposer, type Disposer, deferred } from "indusagi/core";
import type { InstalledCommand } from "../command.ts";
import type { FeatureId } from "../descriptor.ts";
import type { EventSubscription } from "../handler.ts";
import type { InstalledProvider, InstalledTask } from "../install.ts";
import type { FeatureInstallReport } from "../install-report.ts";
import type { ToolInterceptor } from "../interceptor.ts";
import type { InstalledTool } from "../tool.ts";
import type { CommittedFeature } from "./commit-feature.ts";

/** What a session is built from, in install order, with one report per feature. */
export interface InstalledFeatures {
  readonly tools: readonly InstalledTool[];
  readonly commands: readonly InstalledCommand[];
  readonly subscriptions: readonly EventSubscription[];
  readonly interceptors: readonly ToolInterceptor[];
  readonly tasks: readonly InstalledTask[];
  readonly providers: readonly InstalledProvider[];
  readonly reports: readonly FeatureInstallReport[];
}

/** What was added and removed. */
export interface RegistryChange {
  readonly added?: CommittedFeature;
  readonly removed?: CommittedFeature | undefined;
}

export type ChangeListener = (change: RegistryChange) => Promise<void>;

/** The present features. */
export class FeatureList {
  #features: readonly CommittedFeature[] = [];
  #views: InstalledFeatures | undefined;
  readonly #leaving = new Set<CommittedFeature>();
  readonly #held = new Set<Promise<void>>();
  readonly #listeners = new Set<ChangeListener>();

  find(id: FeatureId | undefined): CommittedFeature | undefined {
    return this.#features.find(({ report }) => report.feature === id);
  }

  /** The same objects until the next change. */
  get views(): InstalledFeatures {
    const features = this.#features;
    this.#views ??= {
      tools: features.flatMap(({ tools }) => tools),
      commands: features.flatMap(({ commands }) => commands),
      subscriptions: features.flatMap(({ subscriptions }) => subscriptions),
      interceptors: features.flatMap(({ interceptors }) => interceptors),
      tasks: features.flatMap(({ tasks }) => tasks),
      providers: features.flatMap(({ providers }) => providers),
      reports: features.map(({ report }) => report),
    };
    return this.#views;
  }

  /** What is added takes the place of what is removed, or comes last. Completes when the listeners have. */
  async change(what: RegistryChange): Promise<void> {
    const { added = [], removed } = what;
    this.#features = removed
      ? this.#features.flatMap((each) => (each === removed ? added : each))
      : this.#features.concat(added);
    this.#views = undefined;
    if (removed) this.#disposeLater(removed);
    await Promise.all([...this.#listeners].map((listener) => listener(what)));
  }

  /** Something uses the features until the disposer is called. */
  hold(): Disposer {
    const { promise, resolve } = deferred<void>();
    this.#held.add(promise);
    return createDisposer(() => {
      this.#held.delete(promise);
      resolve();
    });
  }

  onChange(listener: ChangeListener): Disposer {
    this.#listeners.add(listener);
    return createDisposer(() => this.#listeners.delete(listener));
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#features, ...this.#leaving].map(({ offered }) => offered.dispose?.()));
  }

  /** Once the calls in progress have ended. */
  #disposeLater(removed: CommittedFeature): void {
    this.#leaving.add(removed);
    void Promise.all(this.#held)
      .then(() => removed.offered.dispose?.())
      .finally(() => this.#leaving.delete(removed));
  }
}
