// What a question about leaving the sandbox offers instead: to run inside, with the network to the one host that the command names, or
// reading the one folder that it names, or changing it where it writes there; once, for the session, or in this working directory.

import type { GrantSpan, OutsideFolder, PermissionAnswer } from "../../feature/permission.ts";
import type { KeptAnswer, SessionApproval } from "../contract.ts";
import type { CommandFactsDeps } from "./command-facts.ts";
import type { Decided, KeptAnswers } from "./decision-types.ts";
import { webHost } from "./named-hosts.ts";
import type { ResolvedAccess } from "./resolved-access.ts";
import { folderGrant, hostGrant, type SessionGrants } from "./session-grants.ts";

interface InsideDeps extends Pick<CommandFactsDeps, "realPath" | "files"> {
  /** The working directory, as a real path. */
  readonly root: string;
  readonly session: SessionGrants;
  readonly kept: KeptAnswers | undefined;
  /** Lets an answer that is kept count from now on. */
  readonly applyKept: (answer: KeptAnswer) => void;
  readonly onApproval: ((approval: SessionApproval) => void) | undefined;
}

/** At most one of the two. */
interface Offered {
  readonly host?: string | undefined;
  readonly folder?: OutsideFolder | undefined;
}

export interface InsideOffers {
  readonly offer: (access: ResolvedAccess) => Promise<Offered>;
  /** The decision by this answer, which is remembered as long as it says; undefined if that was not offered. */
  readonly take: (
    answer: Extract<PermissionAnswer, { kind: "host" | "folder" }>,
    offered: Offered,
    decided: Decided,
  ) => Promise<Decided | undefined>;
}

const SPANS: Readonly<Record<GrantSpan, string>> = {
  once: "this command",
  session: "commands of this session",
  here: "commands in this folder",
};

export function createInsideOffers({
  root,
  realPath,
  files,
  session,
  kept,
  applyKept,
  onApproval,
}: InsideDeps): InsideOffers {
  return {
    async offer(access) {
      const folder = await outsideFolder(access);
      return folder ? { folder } : { host: reachable(access) };
    },
    async take({ kind, lasts }, { host, folder }, decided) {
      if (kind === "host" && host !== undefined) {
        await keep(hostGrant(host), lasts);
        const why = `the person allowed ${SPANS[lasts]} the network to ${host}; it stays in the sandbox`;
        return { ...staying(decided, `reach ${host}`, why), host };
      }
      if (kind === "host" || folder === undefined) return undefined;
      await keep(folderGrant(folder), lasts);
      const what = `${folder.isWritable ? "read and change" : "read"} ${folder.path}`;
      const why = `the person allowed ${SPANS[lasts]} to ${what}; it stays in the sandbox`;
      return { ...staying(decided, what, why), folder };
    },
  };

  /** The folder that a command which would leave names, if it could read or change it inside. */
  async function outsideFolder({ command, leaving }: ResolvedAccess): Promise<OutsideFolder | undefined> {
    if (!command || !leaving?.canStay || !leaving.judge) return undefined;
    const { namedFolder } = await import("./named-folder.ts");
    const isSeen = leaving.sees ?? (() => false);
    const named = await namedFolder(command, { root, realPath, files, isSeen });
    return named && leaving.judge(named.path, named.isWritten);
  }

  async function keep(approval: SessionApproval, lasts: GrantSpan): Promise<void> {
    if (lasts === "once") return;
    if (lasts === "session" || !kept) {
      session.hold(approval);
      onApproval?.(approval);
      return;
    }
    const answer: KeptAnswer = { approval, folder: root };
    applyKept(answer);
    await kept.add(answer);
  }
}

/** The host that a command which would leave names, if it could reach it inside. */
function reachable({ command, leaving }: ResolvedAccess): string | undefined {
  const host = leaving?.canStay && command?.unclear === undefined ? webHost(command?.parts ?? []) : undefined;
  return host !== undefined && leaving?.mayReach?.(host) ? host : undefined;
}

function staying({ rulings }: Decided, what: string, why: string): Decided {
  const ruling = { what, outcome: "allow", why, layer: "session" } as const;
  return { outcome: "allow", rulings: [...rulings, ruling], stays: true };
}
