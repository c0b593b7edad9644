// The tool calls of a Chat Completions stream. Servers disagree about what an index and an id are; whatever they mean, no piece of
// a call is lost, and no call runs with another's arguments.

import { createId } from "../../../core/ids.ts";
import type { ModelDelta, ToolCallBlock, ToolDescriptor } from "../../contract.ts";
import { asArray, asObject, asText, type Loose, parseObject } from "../../loose-json.ts";
import { parseToolArguments } from "../../tool-arguments.ts";
import { ObjectEnd } from "./object-end.ts";

interface OpenCall {
  statedId: string | undefined;
  /** Our own id, if the server states none or one that another call has. */
  readonly ownId: string;
  name: string;
  readonly parts: string[];
  /** How far the parts have been read as JSON. */
  readonly end: ObjectEnd;
  isAnnounced: boolean;
  /** What must be sent back with the call, as JSON (Gemini's proof of thought). */
  proof: string | undefined;
}

export interface CallGatherer {
  readonly read: (piece: Loose) => void;
  /** The calls in order, each with its proof; a string says why they are not valid calls. */
  readonly calls: () =>
    | readonly { readonly call: ToolCallBlock; readonly proof: string | undefined }[]
    | string;
}

export function createCallGatherer(
  onDelta: (delta: ModelDelta) => void,
  offered: readonly ToolDescriptor[] = [],
): CallGatherer {
  const calls: OpenCall[] = [];
  const byIndex = new Map<number, OpenCall>();
  const byId = new Map<string, OpenCall>();

  const open = (index: number | undefined, id: string | undefined): OpenCall => {
    const isFree = id !== undefined && !byId.has(id);
    const call: OpenCall = {
      statedId: isFree ? id : undefined,
      ownId: createId("call"),
      name: "",
      parts: [],
      end: new ObjectEnd(),
      isAnnounced: false,
      proof: undefined,
    };
    calls.push(call);
    if (index !== undefined) byIndex.set(index, call);
    if (id !== undefined) byId.set(id, call);
    return call;
  };

  // A known id means that call, at whatever index. Without an id the index decides; a piece with
  // neither belongs to the last call. A new id begins a call if the piece has a name, otherwise
  // it continues the call at its index (some servers change the id in every piece).
  const callOf = (piece: Loose, name: string | undefined, hasArguments: boolean): OpenCall => {
    const index = typeof piece.index === "number" ? piece.index : undefined;
    const id = asText(piece.id) || undefined;
    const here = index === undefined ? calls.at(-1) : byIndex.get(index);
    const same = id === undefined ? undefined : byId.get(id);
    if (same !== undefined) {
      const isMoved = index !== undefined && here !== same;
      return isMoved && name !== undefined && begins(same, name) ? open(index, id) : same;
    }
    if (here === undefined) return open(index, id);
    if (name === undefined || here.name === "") return here;
    if (id === undefined && here.name === name && !hasArguments && index !== undefined) return here; // its name repeated
    const isNew = id === undefined ? index === undefined : here.statedId !== undefined;
    return (isNew && !continues(here, name)) || begins(here, name) ? open(index, id) : here;
  };

  return {
    read(piece) {
      const fn = asObject(piece.function) ?? {};
      const name = asText(fn.name) || undefined;
      const args = asObject(fn.arguments) ? JSON.stringify(fn.arguments) : asText(fn.arguments);
      const call = callOf(piece, name, !!args);
      const id = asText(piece.id) || undefined;
      if (call.statedId === undefined && id !== undefined && !byId.has(id)) {
        if (!call.isAnnounced) call.statedId = id;
        byId.set(id, call);
      }
      if (call.name === "" && name !== undefined) call.name = name;
      if (args) call.parts.push(args);
      const extra = asObject(piece.extra_content) ?? asObject(fn.extra_content);
      if (extra) call.proof = JSON.stringify({ extra_content: extra });
      // A call is announced under its final id: a server may send the name before the id.
      const isKnown = call.statedId !== undefined || call.parts.length > 0;
      if (!call.isAnnounced && call.name !== "" && isKnown) {
        call.isAnnounced = true;
        onDelta({ kind: "tool_call", id: idOf(call), name: call.name });
      }
    },
    calls() {
      const named: OpenCall[] = [];
      for (const call of calls) {
        if (call.name !== "") named.push(call);
        else if (call.parts.join("").trim() !== "") {
          const before = named.at(-1);
          if (before === undefined || isWhole(before) || !parseObject(textOf(before) + textOf(call)))
            return `arguments that belong to no named call: ${textOf(call).slice(0, 200)}`;
          before.parts.push(textOf(call));
        } else if (call.statedId !== undefined) return `a call without a name (${call.statedId})`;
      }
      return named.flatMap((call) =>
        unwrapped(call, offered).map((each) => ({ call: each, proof: call.proof })),
      );
    },
  };
}

/** Whether a piece with this name begins another call than `known`. */
function begins(known: OpenCall, name: string): boolean {
  return known.name !== "" && (known.name !== name || isWhole(known));
}

/** Whether a piece with this name, under a new id or none, continues the unfinished `known`. */
function continues(known: OpenCall, name: string): boolean {
  return known.name === name && !known.end.isBlank(known.parts) && !isWhole(known);
}

function isWhole(call: OpenCall): boolean {
  return call.end.isReached(call.parts);
}

function textOf({ parts }: OpenCall): string {
  return parts.join("");
}

function idOf({ statedId, ownId }: OpenCall): string {
  return statedId ?? ownId;
}

function unwrapped(call: OpenCall, offered: readonly ToolDescriptor[]): readonly ToolCallBlock[] {
  const { name } = call;
  const whole = { kind: "tool_call", id: idOf(call), name, ...parseToolArguments(textOf(call)) } as const;
  return unwrapParallel(whole, offered);
}

/**
 * The calls inside a call of `multi_tool_use.parallel`, a tool that nobody offers: OpenAI's models sometimes write several calls as
 * its arguments. Any other call is returned unchanged, and so is one of a tool with that name that was offered.
 */
export function unwrapParallel(
  call: ToolCallBlock,
  offered: readonly ToolDescriptor[],
): readonly ToolCallBlock[] {
  if (!PARALLEL.has(call.name) || offered.some(({ name }) => name === call.name)) return [call];
  const uses = asArray(asObject(call.input)?.tool_uses).map(asObject);
  const calls = uses.flatMap((use, at): readonly ToolCallBlock[] => {
    const name = asText(use?.recipient_name)?.replace(/^functions\./, "");
    const input = asObject(use?.parameters) as ToolCallBlock["input"] | undefined;
    return name ? [{ kind: "tool_call", id: `${call.id}_${at}`, name, input: input ?? {} }] : [];
  });
  return calls.length > 0 && calls.length === uses.length ? calls : [call];
}

const PARALLEL: ReadonlySet<string> = new Set(["multi_tool_use.parallel", "parallel"]);
