// Types under their published names, for programs written against those.

import type { ToolResult } from "indusagi/capabilities";
import type { Command, InstalledCommand } from "../feature/command.ts";
import type { EventDispatcher } from "../feature/dispatch/dispatcher.ts";
import type { ExecuteTool, InterceptorChain } from "../feature/dispatch/interceptors.ts";
import type { HookEvent, PayloadOf } from "../feature/events.ts";
import type { HookHandler } from "../feature/handler.ts";
import type { InterceptorStage } from "../feature/interceptor.ts";
import type { LoadedAddon, LoaderError } from "./contract.ts";
import type { AddonModule, AddonSurface } from "./kit/index.ts";
import type { AddonBundle } from "./library-host.ts";

/** What a loader made of a source, under its id. */
export type Addon = LoadedAddon;
/** What a module exports to be an addon. */
export type RegisterFn = AddonModule["register"];
/** Why a manifest is none. */
export type ManifestError = LoaderError & { readonly kind: "toml" | "invalid" };
/** The surface that `register` receives. */
export type AddonApi = AddonSurface;
/** A committed slash command. */
export type AddonCommand = InstalledCommand;
/** What runs a slash command. */
export type CommandFn = Command["run"];
export type AddonSurfaceBundle = AddonBundle;
export type AddonEventDispatcher = EventDispatcher;
export type AddonInterceptorChain = InterceptorChain;
/** `observe`, `transform` or `gate`. */
export type HookKind = HookHandler["kind"];
/** What any event carries. */
export type Payload = PayloadOf<HookEvent>;
/** A tool's name, or `*`. */
export type ToolMatch = string;
/** The two halves of an interceptor. */
export type EnterFn = NonNullable<InterceptorStage["enter"]>;
export type ExitFn = NonNullable<InterceptorStage["exit"]>;
/** Runs the real tool. */
export type ToolResultProducer = ExecuteTool;
/** A replaced result, or nothing. */
export type ExitOutcome = ToolResult | undefined;
