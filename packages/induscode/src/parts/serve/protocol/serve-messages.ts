// The messages of `indus serve` as types, derived from the schema's shapes, and whether a message fits them.

import type { MethodTypes, ShapeType } from "../../../addons/process/protocol/shape-type.ts";
import { createShapeChecks } from "../../../feature/shape.ts";
import { type Definitions, type Methods, SHAPES } from "./serve-shapes.ts";

export { ERROR_CODES, METHODS, PROTOCOL_VERSION } from "./serve-shapes.ts";

type Defined<Name extends keyof Definitions> = ShapeType<Definitions[Name], Definitions>;

/** What a client asks for. */
export type ClientToServer = MethodTypes<Methods["clientToServer"], Definitions>;
/** What the server tells. */
export type ServerToClient = MethodTypes<Methods["serverToClient"], Definitions>;

export type Answer = Defined<"Answer">;
export type CommandCard = Defined<"CommandCard">;
export type CommandEnd = Defined<"CommandEnd">;
export type ListItem = Defined<"ListItem">;
export type OpenParams = Defined<"OpenParams">;
export type Question = Defined<"Question">;
export type ServerStatus = Defined<"ServerStatus">;
export type SessionState = Defined<"SessionState">;
export type TaskEnd = Defined<"TaskEnd">;

/** What is wrong with a value that is to be of a shape, naming the place; undefined if it fits. */
export const { problem: shapeProblem } = createShapeChecks(SHAPES);
