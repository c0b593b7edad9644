// Compares capabilities: whether grants cover a request, and how it is reported.

import type { CapabilityRequest, HostCapability } from "./descriptor.ts";
import type { CapabilityDenial } from "./install-report.ts";

/** `files (read, write)`, `secret (DB_PASSWORD)`. */
export function capabilityInWords({ kind, ...facts }: HostCapability): string {
  const details = Object.entries(facts as Readonly<Record<string, unknown>>)
    .filter(([, value]) => value !== false && value !== "")
    .map(([name, value]) => (value === true ? name : String(value)));
  return details.length === 0 ? kind : `${kind} (${details.join(", ")})`;
}

/** Why a session cannot offer what others can: a secret is not set. */
export function lacksHere(
  env: Readonly<Record<string, string | undefined>>,
): (capability: HostCapability) => string | undefined {
  return (capability) => {
    const isMissing = capability.kind === "secret" && !env[capability.id];
    return isMissing ? "it is not set in the environment" : undefined;
  };
}

/** As a granted host: only features of the program itself hold it. */
export const EVERY_HOST = "*";

/** Whether it is about contributing something; without it only that one contribution is left out. */
export function isContribution({ kind }: HostCapability): boolean {
  return kind === "contribute_tool" || kind === "contribute_hook" || kind === "background_task";
}

/** Whether `granted`, taken together, allow what `wanted` names. */
export function covers(granted: readonly HostCapability[], wanted: HostCapability): boolean {
  switch (wanted.kind) {
    case "contribute_tool":
      return granted.some((each) => each.kind === wanted.kind && each.name === wanted.name);
    case "contribute_hook":
      return granted.some((each) => each.kind === wanted.kind && each.point === wanted.point);
    case "secret":
      return granted.some((each) => each.kind === wanted.kind && each.id === wanted.id);
    case "network": {
      const hosts = granted.flatMap((each) => (each.kind === "network" ? each.hosts : []));
      return wanted.hosts.every((host) => hosts.some((each) => coversHost(each, host)));
    }
    default:
      return coversFlags(granted, wanted);
  }
}

function coversFlags(granted: readonly HostCapability[], wanted: HostCapability): boolean {
  const same = granted.filter(({ kind }) => kind === wanted.kind);
  const flags = Object.entries(wanted).filter(([, value]) => value === true);
  return (
    same.length > 0 &&
    flags.every(([flag]) => same.some((each) => (each as Readonly<Record<string, unknown>>)[flag] === true))
  );
}

/**
 * `example.com` is that host alone, `*.example.com` every host below it, `*` every host: no addon may request that one. Case
 * does not matter.
 */
export function coversHost(granted: string, host: string): boolean {
  const wanted = host.toLowerCase();
  const pattern = granted.toLowerCase();
  if (wanted === pattern || pattern === EVERY_HOST) return true;
  return pattern.startsWith("*.") && wanted.endsWith(pattern.slice(1));
}

/** The requests that are not granted, each with the reason. `offers` returns why a session cannot offer one. */
export function denialsOf(
  requests: readonly CapabilityRequest[],
  granted: readonly HostCapability[],
  offers: (capability: HostCapability) => string | undefined,
): readonly CapabilityDenial[] {
  return requests.flatMap(({ capability, required, neededBy }): readonly CapabilityDenial[] => {
    const missing = offers(capability);
    if (missing === undefined && covers(granted, capability)) return [];
    const why = missing === undefined ? "denied" : "unavailable";
    const reason = missing ?? "it was not granted";
    return [{ capability, required, why, reason, neededBy }];
  });
}

/** Why the contribution named `label` cannot be installed, or undefined. */
export function lackOf(
  label: string,
  needs: readonly HostCapability[],
  { granted, denials, offers }: Standing,
): string | undefined {
  const denial = denials.find(
    ({ capability, required, neededBy }) =>
      required && !isContribution(capability) && (neededBy === undefined || neededBy.includes(label)),
  );
  if (denial) return `it needs ${capabilityInWords(denial.capability)}: ${denial.reason}`;
  for (const need of needs) {
    const reason = offers(need) ?? (covers(granted, need) ? undefined : "it was not granted");
    if (reason !== undefined) return `it needs ${capabilityInWords(need)}: ${reason}`;
  }
  return undefined;
}

/** What a feature was granted of what it requested. */
export interface Standing {
  readonly granted: readonly HostCapability[];
  readonly denials: readonly CapabilityDenial[];
  readonly offers: (capability: HostCapability) => string | undefined;
}
