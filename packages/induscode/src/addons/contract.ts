// The contract of the addons layer: where an addon is, what a loader makes of it, how it fails.
// Shapes, names and constructors without side effects; no I/O.

import type { CapabilityRequest, FeatureId, HostCapability } from "../feature/descriptor.ts";
import type { FeatureModule } from "../feature/install.ts";
import type { FeatureFault, FeatureFaultKind } from "../feature/install-report.ts";
import type { OfferedFeature } from "../feature/registry.ts";

/** The folder of a workspace that is scanned. */
export const ADDONS_DIR = ".indus/addons";
/** The field of a `package.json` that names an addon's entry file. */
export const ADDON_MANIFEST_FIELD = "indusAddon";
/** The file that makes a folder a declarative addon. */
export const MANIFEST_FILENAME = "manifest.toml";
/** The extensions of a bare module file, in the order in which `index.*` is looked for. */
export const ENTRY_EXTENSIONS: readonly string[] = [".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs"];
/** The extension of a bare Python addon. */
export const PYTHON_EXTENSION = ".py";
/** The file that makes a folder a Python addon. */
export const PYTHON_INDEX = "__init__.py";

declare const brand: unique symbol;

/** Names an addon to people and in faults: the id its manifest declares, otherwise one derived from its path. */
export type AddonId = string & { readonly [brand]: "AddonId" };

/** Marks a text as an addon's id. Checks nothing. */
export function addonId(text: string): AddonId {
  return text as AddonId;
}

/** `user`: from the home folder. `project`: from the workspace. `explicit`: named by the person. */
export type AddonScope = "user" | "project" | "explicit";

/** Where one addon is. */
export interface AddonSource {
  /** Derived from its location and unique in its scope; the id it declares replaces this one unless another addon is called so. */
  readonly id: AddonId;
  /** Absolute: a folder, or an entry file. */
  readonly path: string;
  /** What trust covers: the addon's folder, or its one file. Absolute. */
  readonly root: string;
  readonly scope: AddonScope;
}

/** Where to look. Sources come in this order: user, project, explicit; so the person's own addons claim names first. */
export interface AddonDiscovery {
  /** The root whose {@link ADDONS_DIR} is scanned. */
  readonly workspace?: string;
  /** Scanned instead of {@link ADDONS_DIR}; relative to the workspace. */
  readonly dir?: string;
  /** The product's home folder; its `addons` are the user's. */
  readonly home?: string;
  /** Further entries, taken as they are, once each; `~` and paths relative to the workspace are understood. */
  readonly explicitPaths?: readonly string[];
}

/** What was found, and what was encountered but cannot be used. */
export interface Discovered<Item> {
  readonly found: readonly Item[];
  readonly faults: readonly AddonFault[];
  /** Absolute paths of entries that are not addons; names that begin with a dot are ignored. */
  readonly strays: readonly string[];
}

export type AddonFault = FeatureFault;
export type AddonFaultKind = FeatureFaultKind;
export type AddonFaultListener = (fault: AddonFault) => void;

/** A fault as a value: nothing is thrown or reported by making one. */
export function addonFault(
  kind: AddonFaultKind,
  message: string,
  of: Pick<AddonFault, "owner" | "cause"> = {},
): AddonFault {
  return { kind, message, ...of };
}

/** `[Load] message (addon: id)`. */
export function describeFault({ kind, message, owner }: AddonFault): string {
  const title = kind.charAt(0).toUpperCase() + kind.slice(1);
  return `[${title}] ${message}${owner === undefined ? "" : ` (addon: ${owner})`}`;
}

/**
 * `io`: it cannot be read. `toml`: it is not TOML. `invalid`: it is TOML, but not a manifest. `unsupported`: it is of a
 * kind that this loader does not load. `register`: its own registration failed; the host makes that a `register` fault.
 */
export type LoaderErrorKind = "io" | "toml" | "invalid" | "unsupported" | "register";

export interface LoaderErrorPlace {
  /** Both counted from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly cause?: unknown;
}

/** Why a source did not become a feature. The host makes it a `load` fault, or a `register` fault. */
export class LoaderError extends Error {
  override readonly name = "LoaderError";
  readonly kind: LoaderErrorKind;
  readonly path: string;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(
    where: { readonly kind: LoaderErrorKind; readonly path: string },
    detail: string,
    place: LoaderErrorPlace = {},
  ) {
    const { line, column, cause } = place;
    const position = line === undefined ? "" : `, line ${line}, column ${column ?? 1}`;
    super(`${where.path}${position}: ${detail}`, cause === undefined ? undefined : { cause });
    this.kind = where.kind;
    this.path = where.path;
    this.line = line;
    this.column = column;
  }
}

/** An MCP server: a program that is started, or one that is reached over the network. `${NAME}` in a value stands for a granted secret. */
export type McpServer =
  | { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** What an addon would do, in words, from its data alone: what a person is asked to trust. */
export interface AddonDescription {
  readonly id: AddonId;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  /** One line for each gate and each command, the latter with the exact line it runs. */
  readonly contributes: readonly string[];
  readonly capabilities: readonly CapabilityRequest[];
  /** For an addon that runs in a process of its own: what confines it, and what does not, one line each. */
  readonly confinement?: () => readonly string[];
}

/** What the person's trust gave a source. */
export interface Admission {
  /** The hash of the trusted content. */
  readonly hash: string;
  readonly grants: readonly HostCapability[];
  /** What an addon that declares this id is called; absent: the declared id is used. */
  readonly name?: (declared: AddonId) => Promise<GivenName>;
}

/** What an addon is called once its declared id is known. */
export interface GivenName {
  readonly id: AddonId;
  /** Why it is not called by the id it declares. */
  readonly problem?: string;
}

export interface LoadedAddon {
  readonly id: AddonId;
  readonly module: FeatureModule;
  /** What was skipped although the rest is used, and what it reported while it registered, one line each. */
  readonly warnings: readonly string[];
  /**
   * What it holds. A code addon says what it contributes only once it has run, so if its manifest lists no contributions,
   * they are granted with the trust in its content; everything else is what was admitted.
   */
  readonly grants: readonly HostCapability[];
  /** Whether it is in quarantine. */
  readonly rests?: () => boolean;
  /** Ends what belongs to it: its process. Idempotent, never rejects. */
  readonly dispose?: () => Promise<void>;
  /** See `OfferedFeature`: an MCP server says itself when its tools change. */
  readonly follow?: OfferedFeature["follow"];
}

/** Turns a source into a feature: the seam that a later tier, or a test, implements differently. */
export interface ModuleLoader {
  /** Reads the source as data without running any of it. Rejects with a {@link LoaderError}. */
  readonly describe: (source: AddonSource) => Promise<AddonDescription>;
  /** The hash of its content, or of a source that is no file, such as a test's; absent: the files below its root are hashed. */
  readonly hashOf?: (source: AddonSource) => string;
  /** Asked after a load: whether what the load went by has this hash; absent: whether the source has. */
  readonly stillHas?: (source: AddonSource, hash: string) => boolean;
  /** Called for trusted sources only. Rejects with a {@link LoaderError}. */
  readonly load: (source: AddonSource, admission: Admission) => Promise<LoadedAddon>;
}

/** The identity under which an addon's contributions are committed and logged. */
export function featureIdOf(id: AddonId, scope: AddonScope): FeatureId {
  return scope === "project" ? `project:${id}` : `user:${id}`;
}
