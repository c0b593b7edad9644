// The hosts that a confined program may reach: names that rules, settings or grants allow, at public addresses, on HTTP's ports. A grant can
// name another port, and ports of this machine.

import { connect, isIP, type Socket } from "node:net";
import { addressProblem } from "indusagi/capabilities";
import { describeError } from "indusagi/core";
import { isThisMachine } from "../../../feature/capabilities.ts";

/** Which hosts are reached, and how. */
export interface HostReachFacts {
  /** Why a host is out of reach; undefined when it is not. */
  readonly refusal: (host: string) => string | undefined;
  /** Whether a grant names this very port, for a host or for this machine. Default: none does. */
  readonly namesPort?: (host: string, port: number) => boolean;
  /** Called for each refused connection, and for each that could not be made: many programs do not show what a proxy answers. */
  readonly onRefused: (line: string) => void;
  /** Default: the system's resolver. */
  readonly lookup?: (host: string) => Promise<readonly string[]>;
  /** Default: a TCP connection. For tests, whose servers are not public. */
  readonly dial?: (address: string, port: number) => Socket;
}

/** The ports of HTTP; another port would be another service of an allowed host. */
const PORTS: readonly number[] = [80, 443];
const CONNECT_MS = 10_000;
const IDLE_MS = 300_000;
/** The maximum length of a name, RFC 1035. */
const MAX_NAME = 253;

export interface Target {
  readonly host: string;
  readonly port: number;
  /** Host and port, as shown to a person. */
  readonly name: string;
  /** A grant names this port. */
  readonly isNamed: boolean;
}

export class Refused extends Error {}

/** The host and port that a request names; `port` is the default when it names none. */
export function proxyTarget(
  url: string,
  port?: number,
  namesPort?: HostReachFacts["namesPort"],
): Target | { readonly name: string; readonly problem: string } {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "http:")
    return { name: url.slice(0, MAX_NAME), problem: "only http:// URLs and CONNECT are supported" };
  const host = parsed.hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  const found = parsed.port === "" ? port : Number(parsed.port);
  const name = `${host.slice(0, MAX_NAME)}:${found ?? "?"}`;
  if (found !== undefined && namesPort?.(host, found)) return { host, port: found, name, isNamed: true };
  if (found === undefined || !PORTS.includes(found))
    return {
      name,
      problem: `only the ports ${PORTS.join(" and ")} are allowed${namesPort ? ", and those that a grant names" : ""}`,
    };
  if (host.length > MAX_NAME) return { name, problem: "the name is too long" };
  if (isIP(host) !== 0) return { name, problem: "it is an IP address, and only names can be allowed" };
  return { host, port: found, name, isNamed: false };
}

/** Connections of the proxy to hosts. */
export class HostReach {
  readonly #facts: HostReachFacts;

  constructor(facts: HostReachFacts) {
    this.#facts = facts;
  }

  /** What a request names, if it may be reached; throws {@link Refused}. `port` is the default when it names none. */
  target(url: string, port?: number): Target {
    const target = proxyTarget(url, port, this.#facts.namesPort);
    const problem = "problem" in target ? target.problem : this.#refusalOf(target);
    if ("problem" in target || problem !== undefined) return this.#refuse(target.name, problem ?? "");
    return target;
  }

  #refusalOf({ host, isNamed }: Target): string | undefined {
    return isNamed ? undefined : this.#facts.refusal(host);
  }

  /**
   * Resolves the name once, checks each of its addresses, and dials one of those; names of this machine are not resolved. `track` gets the
   * connection before it is made.
   */
  async open(target: Target, track: (far: Socket) => void): Promise<Socket> {
    try {
      return await this.#opened(target, track);
    } catch (error) {
      if (!(error instanceof Refused))
        this.#facts.onRefused(`${target.name} was not reached: ${describeError(error)}`);
      throw error;
    }
  }

  async #opened(target: Target, track: (far: Socket) => void): Promise<Socket> {
    const { host, isNamed } = target;
    if (!isNamed || !isThisMachine(host)) return this.#dial(await this.#publicAddress(target), target, track);
    if (host !== "localhost") return this.#dial(host, target, track);
    return this.#dial("127.0.0.1", target, track).catch(() => this.#dial("::1", target, track));
  }

  async #publicAddress({ host, name }: Target): Promise<string> {
    const { lookup = systemLookup } = this.#facts;
    const addresses = /(?:^|\.)localhost$/.test(host) ? ["127.0.0.1"] : await lookup(host);
    for (const address of addresses) {
      const problem = addressProblem(address);
      if (problem !== undefined)
        this.#refuse(name, `it has the address ${address}, which is not public (${problem})`);
    }
    const [address] = addresses;
    if (address === undefined) throw new Error(`${host} has no address`);
    return address;
  }

  async #dial(address: string, { host, port }: Target, track: (far: Socket) => void): Promise<Socket> {
    const { dial = dialTcp } = this.#facts;
    const far = dial(address, port);
    track(far);
    far.setTimeout(IDLE_MS, () => far.destroy());
    await connected(far, host);
    far.on("error", () => far.destroy());
    return far;
  }

  #refuse(what: string, why: string): never {
    const line = `${what} is refused: ${why}`;
    this.#facts.onRefused(line);
    throw new Refused(line);
  }
}

async function connected(far: Socket, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => far.destroy(new Error(`${host} did not accept a connection within 10 s`)),
      CONNECT_MS,
    );
    timer.unref();
    far.once("connect", resolve).once("error", reject);
    far.once("close", () => {
      clearTimeout(timer);
      reject(new Error(`${host} closed the connection`));
    });
    far.once("connect", () => clearTimeout(timer));
  });
}

function dialTcp(address: string, port: number): Socket {
  return connect({ host: address, port });
}

async function systemLookup(host: string): Promise<readonly string[]> {
  const found = await process.getBuiltinModule("node:dns/promises").lookup(host, { all: true });
  return found.map(({ address }) => address);
}
