// The proxies of one session's confined commands: one that they share, and one of its own for each that an answer lets reach more.

import { join } from "node:path";
import { type HostProxyFacts, startHostProxy } from "./host-proxy.ts";
import { PROXY_SOCKET } from "./proxy-relay.ts";

/** Which hosts commands reach, through a proxy; see {@link HostProxyFacts}. */
export interface NamedHosts extends Omit<HostProxyFacts, "socket"> {
  /** Whether there is one by now: before that, commands have no network. Default: there is. */
  readonly isAny?: () => boolean;
  /** Whether an answer may let one command reach a host. Default: none may. */
  readonly mayGrant?: (host: string) => boolean;
}

/** What a command's proxy is found by; nothing listens before the first command. */
export interface CommandProxy {
  /** The folder with its socket. */
  readonly folder: () => string;
  readonly end: () => void;
}

export interface CommandProxies {
  /** To what is named as of now; undefined while nothing is. */
  readonly shared: () => CommandProxy | undefined;
  /** To this host as well; undefined if it cannot be granted. */
  readonly withHost: (host: string) => CommandProxy | undefined;
  readonly close: () => void;
}

/** `place`: a new folder for a socket. */
export function createCommandProxies(named: NamedHosts, place: () => string): CommandProxies {
  const { isAny = () => true, mayGrant = () => false } = named;
  const open = new Set<CommandProxy>();
  const shared = proxy(named.refusal);
  return {
    shared: () => (isAny() ? shared : undefined),
    withHost: (host) =>
      mayGrant(host) ? proxy((each) => (each === host ? undefined : named.refusal(each))) : undefined,
    close() {
      for (const each of open) each.end();
    },
  };

  function proxy(refusal: NamedHosts["refusal"]): CommandProxy {
    let listening: { readonly folder: string; readonly close: () => void } | undefined;
    const own: CommandProxy = {
      folder() {
        listening ??= listen(refusal);
        open.add(own);
        return listening.folder;
      },
      end() {
        listening?.close();
        listening = undefined;
        open.delete(own);
      },
    };
    return own;
  }

  function listen(refusal: NamedHosts["refusal"]): { readonly folder: string; readonly close: () => void } {
    const folder = place();
    return { folder, close: startHostProxy({ ...named, refusal, socket: join(folder, PROXY_SOCKET) }) };
  }
}
