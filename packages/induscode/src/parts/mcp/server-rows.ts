// The MCP servers of a session or of a folder, each with its state, its tools, and what they cost in each request.

import { estimateTokens } from "../../briefing/token-estimate.ts";
import { formatCount, plural } from "../../console/figures.ts";
import { printableLine } from "../../console/printable-line.ts";
import { definitionOf, NOTHING_OFFERED, offerTools } from "../../deck/offered-tools.ts";
import { leavesSandbox } from "../../feature/capabilities.ts";
import type { FeatureInstallReport } from "../../feature/install-report.ts";
import type { InstalledTool } from "../../feature/tool.ts";
import type { SessionFeatures } from "../../session/features/session-features.ts";
import type { Settings } from "../../settings/load-settings.ts";

/** One server. */
export interface ServerRow {
  readonly name: string;
  readonly feature: string;
  /** What starts it, or its address, and where its files are. */
  readonly runs: string;
  readonly path: string;
  readonly state: string;
  readonly tools: readonly string[];
  readonly hasResources: boolean;
  /** Of its tools' definitions. */
  readonly tokens: number;
  /** The model knows them by name, and finds the definitions. */
  readonly isDeferred: boolean;
  readonly quarantine: string | undefined;
  /** It runs outside of the sandbox. */
  readonly isOutside: boolean;
  /** What it offers and is not used, with the reason. */
  readonly leftOut: readonly string[];
}

/** As a session with these features and settings begins. */
export function serverRows(features: SessionFeatures, settings: Settings): readonly ServerRow[] {
  const { tools } = features.registry;
  const { deferred } = offerTools(tools, NOTHING_OFFERED, settings.addons?.toolBytes);
  return features
    .codeAddons()
    .filter(({ isServer }) => isServer)
    .map(({ id, feature, runs, path, remote, quarantine }) => {
      const own = tools.filter((each) => each.feature === feature);
      const direct = own.filter(({ resources }) => resources === undefined);
      return {
        ...{ name: id, feature, runs, path, state: remote.state() },
        tools: direct.map(({ tool }) => tool.name),
        hasResources: own.length > direct.length,
        tokens: direct.reduce((sum, each) => sum + tokensOf(each), 0),
        isDeferred: direct.some((each) => deferred.includes(each)),
        quarantine: quarantine(),
        isOutside: leavesSandbox(reportOf(feature, features)?.granted ?? []),
        leftOut: leftOutOf(feature, features),
      };
    });
}

function reportOf(feature: string, { registry }: SessionFeatures): FeatureInstallReport | undefined {
  return registry.reports.find((each) => each.feature === feature);
}

function leftOutOf(feature: string, features: SessionFeatures): readonly string[] {
  const { skipped = [], faults = [] } = reportOf(feature, features) ?? {};
  return [
    ...skipped.map(({ kind, name, reason }) => `${kind} ${name} is left out: ${reason}`),
    ...faults.map(({ message }) => message),
  ];
}

/** The lines about one server that are no ordinary news: some of what is left out, and why it does not run. */
export function troubleOf({ quarantine, leftOut }: ServerRow): readonly string[] {
  const more = leftOut.length - MOST_LEFT_OUT;
  return [
    ...(quarantine === undefined ? [] : [quarantine]),
    ...leftOut.slice(0, MOST_LEFT_OUT),
    ...(more > 0 ? [`and ${more} more: indus addons`] : []),
  ];
}

const MOST_LEFT_OUT = 3;

/** Of one definition. */
export function tokensOf(tool: InstalledTool): number {
  return estimateTokens(JSON.stringify(definitionOf(tool)));
}

/** `user:tickets  idle, 11 tools and resources, about 240 tokens of each request`. */
export function headOf({
  feature,
  state,
  tools,
  hasResources,
  tokens,
  isDeferred,
  isOutside,
}: ServerRow): string {
  const has = `${plural(tools.length, "tool")}${hasResources ? " and resources" : ""}`;
  const size = `about ${formatCount(tokens)} tokens`;
  const cost = isDeferred ? `listed by name and loaded when needed (${size})` : `${size} of each request`;
  return printableLine(`${feature}  ${state}, ${has}, ${cost}${isOutside ? ", outside of the sandbox" : ""}`);
}
