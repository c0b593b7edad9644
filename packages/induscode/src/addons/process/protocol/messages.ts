// The messages of the addon protocol as types, derived from the schema's shapes.

import type { MethodTypes, ShapeType } from "./shape-type.ts";
import type { Definitions, Methods } from "./shapes.ts";

export { ERROR_CODES, PROTOCOL_VERSION } from "./shapes.ts";

type Defined<Name extends keyof Definitions> = ShapeType<Definitions[Name], Definitions>;

/** What the host sends. */
export type HostToAddon = MethodTypes<Methods["hostToAddon"], Definitions>;
/** What an addon sends. */
export type AddonToHost = MethodTypes<Methods["addonToHost"], Definitions>;

export type Capability = Defined<"Capability">;
export type CapabilityRequest = Defined<"CapabilityRequest">;
export type CommandCard = Defined<"CommandCard">;
export type DescribeParams = Defined<"DescribeParams">;
export type EnterResult = Defined<"EnterResult">;
export type Event = Defined<"Event">;
export type EventResult = Defined<"EventResult">;
export type ExecOutcome = Defined<"ExecOutcome">;
export type ExitResult = Defined<"ExitResult">;
export type FetchParams = Defined<"FetchParams">;
export type FetchResult = Defined<"FetchResult">;
export type HandlerCard = Defined<"HandlerCard">;
export type InterceptorCard = Defined<"InterceptorCard">;
export type Registration = Defined<"Registration">;
export type RequestId = Defined<"RequestId">;
export type TaskCard = Defined<"TaskCard">;
export type ToolCard = Defined<"ToolCard">;
export type UiOffers = Defined<"UiOffers">;
export type UiShape = Defined<"UiShape">;
