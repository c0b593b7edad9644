// The loader of every tier: data stays in process, code becomes a feature with a process of its own. A
// source's tier is determined from its files alone.

import { lstatSync } from "node:fs";
import { extname } from "node:path";
import { describeError } from "indusagi/core";
import { homePath } from "../../store/home-files.ts";
import {
  type AddonDescription,
  type AddonSource,
  LoaderError,
  type ModuleLoader,
  PYTHON_EXTENSION,
} from "../contract.ts";
import type { CodeAddon } from "../process/contract.ts";
import { DEFAULT_LIMITS } from "../process/protocol/contract.ts";
import { createQuarantine } from "../process/quarantine.ts";
import { createRegistrationCache } from "../process/registration-cache.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { createKnownContent } from "../source/known-content.ts";
import { type AddonDescriptor, isAddonId, type RunDescriptor } from "../source/manifest.ts";
import { realPath } from "../source/on-disk.ts";
import { createConfinement } from "./confinement.ts";
import { createDeclarativeLoader, readManifest } from "./declarative-loader.ts";
import { describeHooks } from "./foreign-hooks.ts";
import { type CodeAddonHandle, type CodeDeps, loadCode } from "./load-code.ts";
import { describeMcp } from "./mcp.ts";
import { describeModule } from "./module.ts";
import { describeProcess } from "./process.ts";
import { describePython } from "./python.ts";
import { createSourceCompiler } from "./source-compiler.ts";
import { describeWasm } from "./wasm.ts";

export type { CodeAddonHandle };

/** Defaults: the strongest sandbox that works on this machine, the policy's limits, and no settings of the person. */
export interface TieredLoaderDeps
  extends Pick<CodeDeps, "workspace" | "home" | "env">,
    Partial<
      Pick<
        CodeDeps,
        | "sandbox"
        | "limits"
        | "onGateFailure"
        | "required"
        | "secretEnv"
        | "secrets"
        | "documents"
        | "held"
        | "isReadOnly"
        | "answersIn"
      >
    > {
  /** Refuses code that no OS sandbox would confine. */
  readonly requireSandbox: boolean;
}

export interface TieredLoader extends ModuleLoader {
  readonly hashOf: NonNullable<ModuleLoader["hashOf"]>;
  /** The code addons that were loaded, in order. */
  readonly code: () => readonly CodeAddonHandle[];
}

export function createTieredLoader({ requireSandbox, ...given }: TieredLoaderDeps): TieredLoader {
  const { env, home, workspace } = given;
  const search = { path: env.PATH, workspace };
  const { sandbox = createSandbox({ recordPath: homePath(home, "sandboxLevel"), search }) } = given;
  const content = createKnownContent({ home });
  const deps: CodeDeps = {
    limits: DEFAULT_LIMITS,
    onGateFailure: "allow",
    required: [],
    ...given,
    workspace: realPath(given.workspace),
    content,
    sandbox,
    confinement: createConfinement(sandbox, requireSandbox),
    compiler: createSourceCompiler(sandbox),
    cache: createRegistrationCache({ home }),
    quarantine: createQuarantine({ home }),
  };
  const declarative = createDeclarativeLoader();
  // Indexed in the order of the requests; several load in parallel.
  const loaded: (CodeAddonHandle | undefined)[] = [];
  return {
    code: () => loaded.filter((handle) => handle !== undefined),
    hashOf: content.hash,
    stillHas: content.stillHas,
    async describe(source) {
      const found = await codeAt(source, deps);
      return found ? describeCode(found.code, deps) : declarative.describe(source);
    },
    async load(source, admission) {
      const place = loaded.push(undefined) - 1;
      const found = await codeAt(source, deps);
      if (!found) return declarative.load(source, admission);
      const { handle, addon } = await loadCode(found.code, admission, deps);
      loaded[place] = handle;
      return { ...addon, warnings: [...found.manifestWarnings, ...addon.warnings] };
    },
  };
}

interface FoundCode {
  readonly code: CodeAddon;
  readonly manifestWarnings: readonly string[];
}

/** The code addon that a source is; undefined if it is data. */
async function codeAt(source: AddonSource, deps: CodeDeps): Promise<FoundCode | undefined> {
  if (isManifest(source.path)) {
    const { descriptor, warnings } = await readManifest(source);
    const { run } = descriptor;
    if (!run) return undefined;
    return { code: await codeOf(source, deps, { ...descriptor, run }), manifestWarnings: warnings };
  }
  requireAddonId(source);
  const isPython = extname(source.path) === PYTHON_EXTENSION;
  const code = await (isPython ? describePython(source) : describeModule(source, deps));
  return { code, manifestWarnings: [] };
}

/**
 * A name in a repository can be anything, even another addon's full id (`user:notes.py`), which a `--grant` for that one
 * would then trust. So it must satisfy the rules for ids in manifests.
 */
function requireAddonId({ id, path }: AddonSource): void {
  if (isAddonId(id)) return;
  const detail = `its name gives the id ${JSON.stringify(id)}, which is not an addon id: rename it using only letters, digits, . _ -, not like a content hash`;
  throw new LoaderError({ kind: "invalid", path }, detail);
}

async function codeOf(
  source: AddonSource,
  deps: CodeDeps,
  descriptor: AddonDescriptor & { readonly run: RunDescriptor },
): Promise<CodeAddon> {
  const { run } = descriptor;
  switch (run.kind) {
    case "process":
      return describeProcess(source, { ...descriptor, run });
    case "python":
      return describePython(source, descriptor);
    case "module":
      return describeModule(source, deps, descriptor);
    case "wasm":
      return describeWasm(source, descriptor);
    case "mcp":
      return describeMcp(source, { ...descriptor, run }, deps);
    case "hooks":
      return describeHooks(source, { ...descriptor, run }, deps.workspace);
  }
}

/** A folder is an addon by its manifest; anything else by its file extension. */
function isManifest(path: string): boolean {
  try {
    return extname(path) === ".toml" || lstatSync(path).isDirectory();
  } catch (cause) {
    throw new LoaderError({ kind: "io", path }, `it cannot be found: ${describeError(cause)}`, { cause });
  }
}

function describeCode(code: CodeAddon, { confinement }: CodeDeps): AddonDescription {
  const { id, version, description, capabilities, runs } = code;
  return {
    id,
    version,
    description,
    contributes: [`run ${runs}, in its own process; \`indus addons\` shows what it registers`],
    capabilities,
    // Determined lazily: finding out what this machine has starts a process, which is unnecessary if nobody is asked.
    confinement: () => confinement.lines(code),
  };
}
