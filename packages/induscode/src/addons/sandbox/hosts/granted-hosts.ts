// The network of an addon whose program cannot ask the host to fetch: a proxy to the hosts that it was granted.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { coversHost } from "../../../feature/capabilities.ts";
import type { HostCapability } from "../../../feature/descriptor.ts";
import { type HostProxyFacts, startHostProxy } from "./host-proxy.ts";
import { PROXY_SOCKET } from "./proxy-relay.ts";

export interface GrantedHosts {
  /** The folder with the proxy's socket, which is opened with the first call. */
  readonly folder: () => string;
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
  let open: { readonly folder: string; readonly end: () => void } | undefined;
  return {
    folder() {
      open ??= begin();
      return open.folder;
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
