// An ordered catalogue of tools with named collections, and the way to turn a collection into a runnable box.

import { isErrorOf } from "../../core/copies.ts";
import type { ToolBox, ToolCall, ToolOutcome } from "../../runtime/contract.ts";
import { noteReport } from "./call-notes.ts";
import type { ContextFactory, DefinedTool, ToolContext } from "./contract.ts";
import { withSignal } from "./tool-context.ts";

/** A name that the registry does not know. Thrown when a collection is defined or made into a box. */
export class CapabilityError extends Error {
  override readonly name = "CapabilityError";
  readonly kind: "unknown_tool" | "unknown_collection";
  readonly subject: string;
  /** The names that it does know. They are not in the message, whose words are the same in every edition. */
  readonly known: readonly string[];

  constructor(kind: "unknown_tool" | "unknown_collection", subject: string, known: readonly string[] = []) {
    super(`No ${kind === "unknown_tool" ? "tool" : "collection"} named "${subject}" is registered.`);
    this.kind = kind;
    this.subject = subject;
    this.known = known;
  }

  static override [Symbol.hasInstance](error: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class that was asked about, which may extend this one
    return isErrorOf(this, CapabilityError, "CapabilityError", error);
  }
}

/** Tools in registration order. Registering a name again replaces the tool and keeps its place. */
export class ToolRegistry {
  readonly #tools = new Map<string, DefinedTool>();
  readonly #collections = new Map<string, readonly string[]>();

  register(tool: DefinedTool): this {
    this.#tools.set(tool.name, tool);
    return this;
  }

  registerAll(tools: Iterable<DefinedTool>): this {
    for (const tool of tools) this.register(tool);
    return this;
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  get(name: string): DefinedTool | undefined {
    return this.#tools.get(name);
  }

  /** Every registered name, in registration order. */
  names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  /** Names a group of registered tools. Throws {@link CapabilityError} if one of them is unknown. */
  collection(name: string, toolNames: readonly string[]): this {
    for (const toolName of toolNames) this.#require(toolName);
    this.#collections.set(name, [...toolNames]);
    return this;
  }

  /** The members of a collection, in order. Throws {@link CapabilityError} if there is no such collection. */
  membersOf(name: string): readonly string[] {
    const members = this.#collections.get(name);
    if (members === undefined) throw new CapabilityError("unknown_collection", name, this.collectionNames());
    return members;
  }

  collectionNames(): readonly string[] {
    return [...this.#collections.keys()];
  }

  /**
   * A runnable box of `collection`, or of all tools. Each dispatch gets its context from `contextFactory`, which must not
   * throw. Throws {@link CapabilityError} if there is no such collection.
   */
  toToolBox(contextFactory: ContextFactory, collection?: string): ToolBox {
    const names = collection === undefined ? this.names() : this.membersOf(collection);
    const tools = new Map(names.map((name) => [name, this.#require(name)]));
    const descriptors = [...tools.values()].map((tool) => tool.descriptor());
    return {
      descriptors: () => descriptors,
      runner: {
        run: async (call, signal) => {
          const tool = tools.get(call.name);
          if (tool) return invokeNoted(tool, call, withSignal(contextFactory(), signal));
          return {
            id: call.id,
            output: `This session exposes no tool called "${call.name}".`,
            isError: true,
          };
        },
      },
    };
  }

  #require(name: string): DefinedTool {
    const tool = this.#tools.get(name);
    if (tool === undefined) throw new CapabilityError("unknown_tool", name, this.names());
    return tool;
  }
}

/** The outcome with what the tool reported, unless the context has a report of its own. */
async function invokeNoted(tool: DefinedTool, call: ToolCall, context: ToolContext): Promise<ToolOutcome> {
  if (context.framework.report) return tool.invoke(call, context);
  const { report, notes } = noteReport();
  const outcome = await tool.invoke(call, { ...context, framework: { ...context.framework, report } });
  const { images, diff, ...rest } = notes() ?? {};
  const shown = { ...(images && { images }), ...(diff !== undefined && { diff }) };
  return { ...outcome, ...rest, ...(outcome.isError ? {} : shown) }; // providers take no pictures with an error
}
