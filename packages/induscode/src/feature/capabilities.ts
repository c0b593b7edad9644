// Compares capabilities: whether grants cover a request, and how it is reported.

import type { CapabilityRequest, HostCapability } from "./descriptor.ts";
import type { CapabilityDenial } from "./install-report.ts";

/** `files (read, write)`, `secret (DB_PASSWORD)`, `network (port 7777 of this machine)`. */
export function capabilityInWords(capability: HostCapability): string {
  const { kind, ...facts } =
    capability.kind === "network" ? { ...capability, hosts: capability.hosts.map(hostInWords) } : capability;
  const details = Object.entries(facts as Readonly<Record<string, unknown>>)
    .filter(([, value]) => value !== false && value !== "")
    .map(([name, value]) => (value === true ? name : String(value)));
  return details.length === 0 ? kind : `${kind} (${details.join(", ")})`;
}

/** Whether a program with these runs outside of the sandbox. */
export function leavesSandbox(granted: readonly HostCapability[]): boolean {
  return granted.some(({ kind }) => kind === "unconfined");
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

/** `example.com:8443`, `127.0.0.1:7777`, `localhost:*`: a host with its port, or this machine with all of them. */
const WITH_PORT = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+):(\d{1,5}|\*)$/i;
const THIS_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Whether a name or address is that of the machine itself, whatever a resolver says. */
export function isThisMachine(host: string): boolean {
  return THIS_MACHINE.test(host);
}

/** The name alone of a granted host. */
export function nameOfHost(granted: string): string {
  return WITH_PORT.exec(granted)?.[1] ?? granted;
}

/** Whether a granted host names this very port. This machine is the same by each of its names. */
export function coversPort(granted: string, host: string, port: number): boolean {
  const [, name = "", named] = WITH_PORT.exec(granted) ?? [];
  if (named !== "*" && Number(named) !== port) return false;
  return isThisMachine(name) ? isThisMachine(host) : coversHost(name, host);
}

/** What is wrong with a host that somebody asks for; undefined if nothing is. */
export function hostFormProblem(host: string): string | undefined {
  if (host === EVERY_HOST)
    return `may not be "${EVERY_HOST}": list each host, or a domain with all of its hosts, as *.example.com`;
  if (!host.includes(":")) return undefined;
  const [, name = "", port] = WITH_PORT.exec(host) ?? [];
  if (
    name === EVERY_HOST ||
    (port === "*" ? !isThisMachine(name) : !(Number(port) > 0 && Number(port) < 65_536))
  )
    return `has ${JSON.stringify(host)}: expected a name as example.com, a name and port as example.com:8443, or localhost:* for every port of this machine`;
  return undefined;
}

/** The host of a URL as a grant names it: with its port unless that is the one of https. */
export function hostOfUrl({ protocol, hostname, port }: URL): string {
  if (protocol === "https:" && port === "") return hostname;
  return `${hostname}:${port === "" ? 80 : port}`;
}

function hostInWords(host: string): string {
  const [, name = "", port] = WITH_PORT.exec(host) ?? [];
  if (!isThisMachine(name)) return host;
  return port === "*" ? "every port of this machine" : `port ${port} of this machine`;
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
