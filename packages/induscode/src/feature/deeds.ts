// The one authority for deeds: what a feature may do, by itself or through others, is what its grants cover within their
// reach. Host requests, rewritten calls, command variables and results are all checked by this one function.

import { resolve } from "node:path";
import { confinedTo } from "indusagi/capabilities";
import { protectedAs } from "../store/protected-names.ts";
import { capabilityInWords, covers, coversHost } from "./capabilities.ts";
import type { HostCapability } from "./descriptor.ts";
import type { AccessRight } from "./services.ts";
import type { SessionRight } from "./sessions-service.ts";
import type { Access } from "./tool.ts";
import type { UiPart } from "./ui.ts";
import { isHarmlessVariable } from "./variables.ts";

/** One thing a feature does or causes. */
export type Deed =
  /** `realPath` is where the path really leads; absent when unknown. */
  | { readonly kind: "read" | "write"; readonly path: string; readonly realPath?: string | undefined }
  | { readonly kind: "execute" }
  | { readonly kind: "network"; readonly host: string }
  | { readonly kind: "delegate"; readonly agent: string }
  /** Sets a command's variable, or removes it when there is no value. */
  | { readonly kind: "variable"; readonly name: string; readonly value?: string | undefined }
  | { readonly kind: "secret"; readonly id: string }
  | { readonly kind: "notify" }
  | { readonly kind: "alert" }
  /** Has the session's model answer texts of its own. */
  | { readonly kind: "sample" }
  /** Shows something in the console, or asks there. */
  | { readonly kind: "ui"; readonly part: UiPart }
  /** Uses what the host keeps for later sessions. */
  | { readonly kind: "work_items" | "memory"; readonly right: AccessRight }
  /** Uses a session of its own. */
  | { readonly kind: "sessions"; readonly right: SessionRight }
  /** Calls a tool that declares no accesses, or belongs to another feature: it may do whatever that feature holds. */
  | { readonly kind: "call"; readonly tool: string; readonly holds: readonly HostCapability[] };

/** Who does it, with their grants. */
export interface Holder {
  readonly feature: string;
  readonly grants: readonly HostCapability[];
}

/** How far grants reach in a session. */
export interface Reach {
  /** The workspace, as a real path: file grants end there. */
  readonly root: string;
  /** Whether no feature may write a real path that it wrote like this; default: {@link protectedAs}. */
  readonly keepsOff?: ((realPath: string, written: string) => boolean) | undefined;
  /** The person's mode is read-only: nothing is changed, whatever was granted. */
  readonly isReadOnly?: boolean;
  /** No plan is approved yet: also read-only, until one is. */
  readonly isPlanning?: boolean;
}

/**
 * What `holder` lacks for a deed, as a clause about it; undefined when allowed. Built-in or not, a feature may do what it was
 * granted; nothing is written that outlives a session that must not change anything.
 */
export function lackFor(deed: Deed, { feature, grants }: Holder, reach: Reach): string | undefined {
  const outlives = "right" in deed && deed.right === "write" ? modeLack(deed, reach) : undefined;
  if (outlives !== undefined) return outlives;
  const needs = (has: boolean, grant: string): string | undefined =>
    has ? undefined : `it lacks the grant ${grant}`;
  const files = (right: "read" | "write" | "execute"): string | undefined =>
    needs(
      grants.some((grant) => grant.kind === "files" && grant[right]),
      `files with ${right}`,
    );
  switch (deed.kind) {
    case "read":
    case "write":
      return files(deed.kind) ?? modeLack(deed, reach) ?? extentLack(deed, reach);
    case "execute":
      return files("execute") ?? modeLack(deed, reach);
    case "variable":
      return isHarmlessVariable(feature, deed.name, deed.value) ? undefined : files("execute");
    case "network": {
      const hosts = grants.flatMap((grant) => (grant.kind === "network" ? grant.hosts : []));
      const has = hosts.some((host) => coversHost(host, deed.host));
      return needs(has, `network for ${deed.host.slice(0, 255)}`) ?? modeLack(deed, reach);
    }
    case "delegate":
      return needs(
        grants.some((grant) => grant.kind === "sessions" && grant.spawn),
        "sessions with spawn",
      );
    case "secret":
      return needs(
        grants.some((grant) => grant.kind === "secret" && grant.id === deed.id),
        `secret for ${deed.id}`,
      );
    case "notify":
      return needs(
        grants.some(({ kind }) => kind === "model_notification"),
        "model_notification",
      );
    case "sample":
      return needs(
        grants.some(({ kind }) => kind === "sampling"),
        "sampling",
      );
    case "alert":
      return needs(
        grants.some(({ kind }) => kind === "alert"),
        "alert",
      );
    case "ui":
      return needs(
        grants.some((grant) => grant.kind === "ui" && grant[deed.part]),
        `ui with ${deed.part}`,
      );
    case "work_items":
    case "memory":
      return needs(
        grants.some((grant) => grant.kind === deed.kind && grant[deed.right]),
        `${deed.kind} with ${deed.right}`,
      );
    case "sessions":
      return needs(
        grants.some((grant) => grant.kind === deed.kind && grant[deed.right]),
        `sessions with ${deed.right}`,
      );
    case "call": {
      const missing = deed.holds.find((held) => !covers(grants, held));
      return missing === undefined
        ? undefined
        : `it lacks ${capabilityInWords(missing)}, which ${deed.tool} uses`;
    }
  }
}

/** The read-only mode allows only reading, and handing work to a delegate, whose own calls are checked. */
export function modeLack(
  { kind }: Pick<Deed, "kind">,
  { isReadOnly, isPlanning }: Reach,
): string | undefined {
  if (kind === "read") return undefined;
  return isReadOnly ? "the permission mode is read-only" : isPlanning ? "no plan is approved yet" : undefined;
}

function extentLack(
  { kind, path, realPath }: Extract<Deed, { kind: "read" | "write" }>,
  { root, keepsOff }: Reach,
): string | undefined {
  if (realPath === undefined) return "the real path is unknown";
  const workspace = confinedTo(root);
  if (!workspace.mayRead(realPath)) return `its files grant covers only the workspace ${root}`;
  if (kind === "read") return undefined;
  const written = resolve(root, path);
  const acts = protectedAs(root, realPath, written);
  const isKept = keepsOff ? keepsOff(realPath, written) : acts !== undefined;
  return isKept ? `its files grant does not cover what ${acts ?? "takes effect later"}` : undefined;
}

/** A deed in words, to follow "to". */
export function deedInWords(deed: Deed | Access): string {
  switch (deed.kind) {
    case "read":
    case "write":
      return `${deed.kind} ${deed.path}`;
    case "execute":
      return "run a command";
    case "network":
      return `reach ${deed.host}`;
    case "delegate":
      return `hand work to ${deed.agent}`;
    case "variable":
      return `set ${deed.name} for a command`;
    case "secret":
      return `use the secret ${deed.id}`;
    case "notify":
      return "notify the model";
    case "sample":
      return "use the model";
    case "alert":
      return "alert the person";
    case "ui":
      return UI_DEEDS[deed.part];
    case "work_items":
    case "memory":
      return `${deed.right === "read" ? "read" : "change"} ${deed.kind === "memory" ? "memory" : "work items"}`;
    case "sessions":
      return `${deed.right} sessions`;
    case "call":
      return `change what ${deed.tool} does`;
  }
}

const UI_DEEDS: Readonly<Record<UiPart, string>> = {
  status: "show something in the status line",
  render: "show something to the person",
  ask: "ask the person",
};
