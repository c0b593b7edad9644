// What the system prompt is made from (seed 003). Shapes only: sections read, they never reach for anything.

import type { ToolDescriptor } from "indusagi/llmgateway";

/** The read-only bag that every section reads. Each field has an empty default. */
export interface BriefingInput {
  /** The tools advertised to the model, in their order. */
  readonly tools?: readonly ToolDescriptor[];
  /** Absolute working directory. */
  readonly workspace?: string;
  /** The working directory as it is shown; preferred over `workspace`. */
  readonly cwd?: string;
  /** Epoch milliseconds of the footer's clock: an input, so that the same input gives the same bytes. */
  readonly nowMs: number;
}

/** Gates and renders in one call: undefined (or blank) means that it does not apply. Pure. */
export type Section = (input: BriefingInput) => string | undefined;

/** A section under its stable id. */
export interface NamedSection {
  readonly id: string;
  readonly render: Section;
}
