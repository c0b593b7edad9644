import type { ToolContext } from "indusagi/capabilities";
import type { SecretMask } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/runtime";
import type { Authority } from "../../feature/authority.ts";
import type { SessionHooks } from "../../feature/dispatch/hooks.ts";
import type { FeatureFault } from "../../feature/install-report.ts";
import type { Access, InstalledTool, ToolContribution } from "../../feature/tool.ts";
import type { CallDecision, CommandSandbox, Perform } from "../contract.ts";
import type { Permissions } from "../permissions/permissions.ts";

/** A tool, with its owner if a feature contributed it. */
export type FoundTool = ToolContribution & Partial<Pick<InstalledTool, "feature">>;

/** What the boundary of one session works with. */
export interface BoundaryDeps {
  /** The tool that a name means now, in any spelling. */
  readonly find: (tool: string) => FoundTool | undefined;
  /** The tools that the model was shown. */
  readonly names?: () => readonly string[];
  /** The definition of a tool that the model knows only by name. */
  readonly definitionOf?: ((tool: string) => ToolDescriptor | undefined) | undefined;
  /** Runs the command lines of people and features; default: `bash`, if the session has it. */
  readonly commandTool?: (() => ToolContribution | undefined) | undefined;
  /** The feature that owned a tool that is no longer there. */
  readonly ownerOf?: ((tool: string) => string | undefined) | undefined;
  readonly permissions: Permissions;
  readonly hooks: SessionHooks;
  /** Whether a feature that changed a call could do the result on its own. */
  readonly authority: Authority;
  /** The feature that the session works for: it answers for each call as if it had made it. */
  readonly author?: string | undefined;
  /** Called once per feature and grant, when a feature tried to get something done that it is not allowed to do. */
  readonly onFault?: (fault: FeatureFault) => void;
  /** Called with each decision about a call, before it has any effect. */
  readonly onDecision?: (decision: CallDecision) => void;
  /** Hides known secrets from whoever sees a result. */
  readonly secrets?: Pick<SecretMask, "value" | "placeholderIn">;
  /** Confines the model's commands; absent if the person did not ask for it. */
  readonly sandbox?: CommandSandbox | undefined;
  /** A fresh context for one dispatch, under this signal. */
  readonly context: (signal: AbortSignal) => ToolContext;
  /** Awaited before a call that may change something: what led to it is safely stored then. What it resolves to is called after it. */
  readonly beforeChange?: (touched: readonly Access[]) => Promise<() => void>;
  /** Stands between a model's call and its tool when a session is replayed. */
  readonly perform?: Perform | undefined;
  /** Called when a call's tool starts and with its output so far, if somebody is watching. */
  readonly onProgress?: ((callId: string, tail: string) => void) | undefined;
}
