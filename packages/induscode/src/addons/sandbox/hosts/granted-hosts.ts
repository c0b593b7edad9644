// The network of an addon whose program cannot ask the host to fetch: a proxy to the hosts that it was granted.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { coversHost, coversPort, isThisMachine, nameOfHost } from "../../../feature/capabilities.ts";
import type { HostCapability } from "../../../feature/descriptor.ts";
import { type HostProxyFacts, startHostProxy } from "./host-proxy.ts";
import { PROXY_SOCKET, type ProxyPlace } from "./proxy-relay.ts";

export interface GrantedHosts {
  /** Opened with the first call. */
  readonly proxy: () => ProxyPlace;
  readonly end: () => void;
}

/** Undefined if none was granted. `log` receives each refused connection. */
export function createGrantedHosts(
  grants: readonly HostCapability[],
  log: (line: string) => void,
  seams: Pick<HostProxyFacts, "lookup" | "dial"> = {},
): GrantedHosts | undefined {
  const hosts = grants.flatMap((grant) => (grant.kind === "network" ? grant.hosts : []));
  if (hosts.length === 0) return undefined;
  const leadsToMachine = hosts.some((each) => isThisMachine(nameOfHost(each)));
  let open: { readonly folder: string; readonly end: () => void } | undefined;
  return {
    proxy() {
      open ??= begin();
      return { folder: open.folder, leadsToMachine };
    },
    end() {
      open?.end();
      open = undefined;
    },
  };

  function begin(): NonNullable<typeof open> {
    const folder = mkdtempSync(join(tmpdir(), "indus-hosts-"));
    const close = startHostProxy({
      ...seams,
      socket: join(folder, PROXY_SOCKET),
      refusal: (host) => (hosts.some((each) => coversHost(each, host)) ? undefined : "it was not granted"),
      namesPort: (host, port) => hosts.some((each) => coversPort(each, host, port)),
      onRefused: (line) => log(`${line}\n`),
    });
    return {
      folder,
      end() {
        close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  }
}
