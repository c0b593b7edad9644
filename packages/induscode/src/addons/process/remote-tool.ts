// The tools of a code addon: what the model reads of them, what the host checks before they run, and what they answer.

import { defineTool, type ToolResult, withoutSequences } from "indusagi/capabilities";
import type { JsonObject } from "indusagi/core";
import type {
  Access,
  FeatureInstallContext,
  HostCapability,
  ToolContribution,
} from "../../feature/contract.ts";
import { readToolResult } from "../../feature/handler-results.ts";
import { expectedNeed, readNeed } from "../source/capability-kinds.ts";
import { checkableSchema } from "./checkable-schema.ts";
import { oneLine } from "./one-line.ts";
import type { Capability, ToolCard } from "./protocol/messages.ts";
import { type CallFacts, underDeadline } from "./under-deadline.ts";

const MAX_DESCRIPTION_BYTES: number = 16 * 1024;
/** How much of each request to the model all tools of one addon may take, in bytes. */
const MAX_TOOLS_BYTES: number = 128 * 1024;

/** Tools are part of every request to the model: those that would crowd out everything else are skipped and reported. */
export function registerTools(
  cards: readonly ToolCard[],
  context: FeatureInstallContext,
  facts: CallFacts,
): void {
  let bytes = 0;
  const { diagnostic } = context;
  for (const card of cards) {
    bytes += Buffer.byteLength(JSON.stringify(card));
    if (bytes > MAX_TOOLS_BYTES) {
      const text = `its tools would take more than ${MAX_TOOLS_BYTES} bytes of each request: ${oneLine(card.name, 64)} and all later ones are skipped`;
      diagnostic("error", text);
      return;
    }
    const { schema, unchecked } = checkableSchema(card.parameters as JsonObject);
    if (unchecked.length > 0) {
      const text = `the host does not fully check the arguments of ${oneLine(card.name, 64)} (${unchecked.join(", ")}): its program must`;
      diagnostic("info", text);
    }
    const needs = needsOf(card.requiredCapabilities);
    if (needs.problem !== undefined)
      diagnostic("error", `the tool ${oneLine(card.name, 64)} is skipped: ${needs.problem}`);
    else
      context.tools.register({
        ...remoteTool(card, { schema, grants: context.grants }, facts),
        requiredCapabilities: needs.capabilities,
      });
  }
}

/** What a card says that it needs, or what is wrong with it. */
export function needsOf(needs: readonly Capability[] = []): {
  readonly capabilities: readonly HostCapability[];
  readonly problem?: string;
} {
  const capabilities = needs.flatMap((need) => readNeed(need) ?? []);
  if (capabilities.length === needs.length) return { capabilities };
  const wrong = needs.find((need) => readNeed(need) === undefined);
  return {
    capabilities,
    problem: `it needs ${oneLine(JSON.stringify(wrong), 200)}: ${expectedNeed(wrong)}`,
  };
}

function remoteTool(
  { name, description, parameters }: ToolCard,
  { schema, grants }: { readonly schema: JsonObject; readonly grants: readonly HostCapability[] },
  facts: CallFacts,
): ToolContribution {
  let callNumber = 0;
  // The model's list of tools has one line per tool: a line break would let a description start a prompt section of its own.
  const line = oneLine(description, MAX_DESCRIPTION_BYTES);
  return {
    tool: {
      ...defineTool({
        name,
        description: line,
        parameters: schema,
        async run(input, { signal, cwd, framework: { session } }) {
          const params = { name, callId: `${name}-${++callNumber}`, args: input, cwd };
          const answer = await underDeadline(facts, signal, (until) =>
            facts.remote.call("tool", params, { signal: until, session, faultKind: "handler" }),
          );
          return withoutControl(readToolResult(answer));
        },
      }),
      // The model sees everything the author wrote; the host checks what takes bounded time.
      descriptor: () => ({ name, description: line, parameters: parameters as JsonObject }),
    },
    accesses: (_input, cwd) => accessesOf(grants, cwd),
    always: accessesOf(grants, "/").map(({ kind }) => kind),
  };
}

/** Colours and titles mean something to a terminal only. */
function withoutControl({ content, ...result }: ToolResult): ToolResult {
  return {
    ...result,
    content: content.map((block) =>
      block.kind === "text" ? { ...block, text: withoutSequences(block.text) } : block,
    ),
  };
}

/** What a tool of this addon might touch: anything the addon may. */
function accessesOf(grants: readonly HostCapability[], cwd: string): readonly Access[] {
  return grants.flatMap((grant): readonly Access[] => {
    if (grant.kind === "files")
      return [
        ...(grant.read ? [{ kind: "read" as const, path: cwd }] : []),
        ...(grant.write ? [{ kind: "write" as const, path: cwd }] : []),
      ];
    return grant.kind === "network" ? grant.hosts.map((host) => ({ kind: "network" as const, host })) : [];
  });
}
