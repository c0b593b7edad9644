// The tools of a code addon: what the model reads of them, what the host checks before they run, and what they answer.

import { defineTool, type ToolResult, withoutSequences } from "indusagi/capabilities";
import type { JsonObject } from "indusagi/core";
import { nameOfHost } from "../../feature/capabilities.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import { readToolResult } from "../../feature/dispatch/handler-results.ts";
import type { FeatureInstallContext } from "../../feature/install.ts";
import { oneLine } from "../../feature/registration/one-line.ts";
import type { Access, ToolContribution } from "../../feature/tool.ts";
import { saysDenied } from "../sandbox/command-denials.ts";
import { expectedNeed, readNeed } from "../source/capability-kinds.ts";
import type { Capability, ToolCard } from "./protocol/messages.ts";
import { goneSince } from "./registration-changes.ts";
import { Gone } from "./remote-addon.ts";
import { showPictures } from "./shown-pictures.ts";
import { type CallFacts, underDeadline } from "./under-deadline.ts";

/** The registry reads their schemas, and names those that it does not take. */
export function registerTools(
  cards: readonly ToolCard[],
  context: FeatureInstallContext,
  facts: CallFacts,
): void {
  for (const card of cards) {
    const needs = needsOf(card.requiredCapabilities);
    if (needs.problem !== undefined) context.skip({ kind: "tool", name: card.name, reason: needs.problem });
    else
      context.tools.register({
        ...remoteTool(card, context.grants, facts),
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

/** Of what an addon says about a running call, in characters. */
const MAX_PROGRESS = 2_000;

function remoteTool(card: ToolCard, grants: readonly HostCapability[], facts: CallFacts): ToolContribution {
  const { name, description, parameters, resources } = card;
  let callNumber = 0;
  return {
    tool: defineTool({
      name,
      description,
      parameters: parameters as JsonObject,
      async run(input, { signal, cwd, framework: { session, report } }) {
        const params = { name, callId: `${name}-${++callNumber}`, args: input, cwd };
        const told: string[] = [];
        let shut: string | undefined;
        try {
          const answer = await underDeadline(facts, signal, (until, renew) =>
            facts.remote.call("tool", params, {
              ...{ signal: until, session, faultKind: "handler" },
              window: {
                onTold: (line) => void told.push(line),
                onShut(line) {
                  shut = line;
                },
              },
              isStill: () => goneSince(card, facts.changing?.current),
              onProgress(text) {
                renew();
                if (text !== "") report?.progress?.(withoutSequences(text).slice(0, MAX_PROGRESS));
              },
            }),
          );
          await facts.changing?.settled;
          const result = withoutControl(readToolResult(showPictures(answer, report?.picture)));
          return withLines(result, shut !== undefined && isDenied(result) ? [...told, shut] : told);
        } catch (error) {
          if (!(error instanceof Gone)) throw error;
          return { content: [{ kind: "text", text: error.message }], isError: true };
        }
      },
    }),
    accesses: (_input, cwd) => accessesOf(grants, cwd),
    always: accessesOf(grants, "/").map(({ kind }) => kind),
    resources,
  };
}

/** It failed, or its words say that it could not write. */
function isDenied({ content, isError }: ToolResult): boolean {
  return isError === true || content.some((block) => block.kind === "text" && saysDenied(block.text));
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

/** The host's own words about the call, after the addon's. */
function withLines({ content, ...result }: ToolResult, lines: readonly string[]): ToolResult {
  return { ...result, content: [...content, ...lines.map((text) => ({ kind: "text" as const, text }))] };
}

/** What a tool of this addon might touch: anything the addon may. */
function accessesOf(grants: readonly HostCapability[], cwd: string): readonly Access[] {
  return grants.flatMap((grant): readonly Access[] => {
    if (grant.kind === "files")
      return [
        ...(grant.read ? [{ kind: "read" as const, path: cwd }] : []),
        ...(grant.write ? [{ kind: "write" as const, path: cwd }] : []),
      ];
    if (grant.kind === "unconfined")
      return [
        { kind: "read", path: cwd },
        { kind: "write", path: cwd },
        { kind: "network", host: "any host, outside of the sandbox" },
      ];
    return grant.kind === "network"
      ? grant.hosts.map((host) => ({ kind: "network" as const, host: nameOfHost(host) }))
      : [];
  });
}
