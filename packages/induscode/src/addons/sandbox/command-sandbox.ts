// The sandbox around the model's commands: starts each command line in it, at the level of this machine.

import { realpathSync } from "node:fs";
import { bashShell, createCommandMark, localShell, type Shell } from "indusagi/capabilities";
import { isInside } from "indusagi/core";
import type { OutsideFolder } from "../../feature/permission.ts";
import { confinedByBubblewrap } from "./command-bubblewrap.ts";
import { createDenials } from "./command-denials.ts";
import { launchVariables, NO_RETRIES } from "./command-environment.ts";
import { type PutAway, type RefusedPlaces, toldOf } from "./command-guard.ts";
import { confinedByLandlock, toolVariables } from "./command-landlock.ts";
import { commandPlaces } from "./command-places.ts";
import { CommandRemarks } from "./command-remarks.ts";
import type { CommandLaunch, CommandSpec } from "./command-spec.ts";
import type { LevelReport, StrongLevel } from "./contract.ts";
import { createGitIdentity } from "./git-identity.ts";
import { createGrantedFolders } from "./granted-folders.ts";
import { type CommandProxy, createCommandProxies, type NamedHosts } from "./hosts/command-proxies.ts";
import { proxyVariables } from "./hosts/proxy-relay.ts";
import { linkedRepository } from "./linked-repository.ts";
import { outsideHint } from "./outside-hint.ts";
import { ownTemporaryRemark } from "./own-temporary.ts";
import {
  createRunningFolders,
  type KnownNames,
  type RunningFolders,
  type RunningNames,
} from "./running-names.ts";
import { sessionFolder } from "./session-folder.ts";

interface CommandSandboxFacts {
  /** The working directory, as a real path. */
  readonly root: string;
  readonly personHome: string;
  /** What commands inherit, except for the variables in `withhold`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly withhold: readonly string[];
  /** Whether a value is, or contains, a known secret: they do not inherit it either. */
  readonly holdsSecret?: ((value: string) => boolean) | undefined;
  readonly isWritable: boolean;
  readonly network: "off" | "on" | NamedHosts;
  /** Folders that answers let commands read, or change; default: none. */
  readonly folders?: (() => readonly OutsideFolder[]) | undefined;
  /** The product's home, as a real path: no answer lets commands read it. */
  readonly store?: string | undefined;
  /** What rules refuse or ask about, and what agents read as instructions. */
  readonly refuses?: RefusedPlaces;
  /** How many folders are looked through for protected names; default: as many as take a quarter of a second. */
  readonly maxFolders?: number;
  /** For each folder that they may change; absent: nothing is known of the commands once this process was killed. */
  readonly keptAt?: ((folder: string) => KnownNames) | undefined;
}

interface ConfinedCommands {
  readonly shell: Shell;
  /** The folder at a real path as it is now; undefined if no answer can let commands read it, or change it. */
  readonly judge: (path: string, isWritable?: boolean) => OutsideFolder | undefined;
  /** Its commands read this folder as well, or change it. */
  readonly shellAt: (folder: OutsideFolder) => Shell;
  /** Its commands reach this host as well, through a proxy of their own; undefined if it cannot be granted. */
  readonly shellTo: (host: string) => Shell | undefined;
  readonly running: RunningNames["running"];
  /** Wraps approved work that runs elsewhere: what it makes does not belong to a job. */
  readonly outside: RunningNames["outside"];
  /** Ends all that still runs, moves away what it left, and removes its folder. Returns what the person must know. */
  readonly close: () => Promise<readonly string[]>;
}

/** Of what was moved away, reported to the person at the end of the session. */
const MAX_TOLD = 5;

/** Under bubblewrap a command's processes end with the first of them, a moment later. */
const DYING_MS = 2_000;

/** Creates nothing before the first command. */
export function confineCommands(level: StrongLevel, facts: CommandSandboxFacts): ConfinedCommands {
  const { root, env, withhold, holdsSecret, isWritable, network, refuses, maxFolders, keptAt } = facts;
  const personHome = realOr(facts.personHome);
  const folder = sessionFolder();
  const gitIdentity = createGitIdentity({ personHome, env });
  const shell = bashShell() ?? ["/bin/sh"];
  let readable: ReturnType<typeof commandPlaces> | undefined;
  // Landlock filters by port and not by host: a rule for the proxy's port would let a command reach that port on any host.
  const hosts = typeof network === "object" && level.level === "bubblewrap" ? network : undefined;
  const remarks = new CommandRemarks();
  const readers = createGrantedFolders({
    ...{ root, personHome, store: facts.store, isRefused: refuses?.read, maxFolders },
    writing: isWritable ? { programs: env.PATH ?? "", isRefused: refuses?.write } : undefined,
    folders: level.level === "bubblewrap" ? (facts.folders ?? (() => [])) : undefined,
    sayOnce: (line) => remarks.sayOnce(line),
  });
  let sockets = 0;
  const proxies =
    hosts &&
    createCommandProxies(
      {
        ...hosts,
        onRefused(line) {
          remarks.sayRefused(line);
          hosts.onRefused(line);
        },
      },
      () => folder.at(`net${++sockets}`),
    );
  const launched = (
    { proxy, granted }: Reached,
    command: string,
    launch: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): CommandLaunch => {
    const reached = proxy ? { proxy: proxy.folder() } : network === "on" ? "all" : "none";
    const cwd = realOr(launch.cwd);
    if (!isInside(root, cwd))
      throw new Error(`${launch.cwd} points outside the working directory, to ${cwd}`);
    readable ??= commandPlaces(root, personHome, launch.env.PATH ?? "");
    const guarded = names.begin(writableOf(granted));
    const hidden = [...readable.hidden, ...guarded.hidden];
    const { folder: repository, why } = linkedRepository(root, [personHome, ...hidden]);
    gitIdentity.handIn(folder.at("home"));
    remarks.sayOnce(why);
    for (const line of guarded.closed) remarks.sayOnce(line);
    const spec: CommandSpec = {
      ...{ root, cwd, isWritable },
      protected: guarded.protected,
      pinned: guarded.pinned,
      readable: [
        ...readable.readable,
        ...(repository === undefined ? [] : [repository]),
        ...(reached === "all" ? resolver() : []),
      ],
      granted,
      hidden: [...hidden, ...granted.flatMap(({ hidden: places }) => places)],
      temporary: folder.at("tmp"),
      home: folder.at("home"),
      personHome,
      network: reached,
    };
    const argv = [...shell, "-c", command];
    if (level.level === "bubblewrap") {
      const shared = [root, ...spec.readable, ...granted.map(({ path }) => path)];
      remarks.sayOnce(ownTemporaryRemark(command, shared));
    }
    const variables = launchVariables(launch.env, ownVariables(level, spec));
    return level.level === "bubblewrap"
      ? confinedByBubblewrap(argv, spec, variables, level)
      : confinedByLandlock(argv, spec, variables, level);
  };
  const names = createRunningFolders({
    ...{ root, isWritable, dyingMs: level.level === "bubblewrap" ? DYING_MS : 0 },
    ...{ refuses, maxFolders, keptAt },
  });
  /** Said in the output of jobs, which nobody may read any more. */
  const ofJobs: PutAway[] = [];
  const denials = (reach: "none" | "hosts" | "all"): ReturnType<typeof createDenials> =>
    createDenials({ isWritable, network: reach }, level.level);
  const explains = { hosts: denials("hosts"), others: denials(network === "on" ? "all" : "none") };
  /** `own`: the proxy of its commands, which ends with each of them; without it, they have what all have. */
  const shellWith = ({ proxy: own, folder: asked }: OwnReach = {}): Shell => {
    // Of the command that is started: nothing happens between its launch and its start.
    let granted: ReturnType<typeof readers.now> = [];
    const inner = localShell({
      ...{ env, withhold, holdsSecret },
      onStarted: (command) => names.started(command, writableOf(granted)),
      launcher(command, launch) {
        granted = readers.now(asked);
        return launched({ proxy: own ?? proxies?.shared(), granted }, command, launch);
      },
    });
    return explainingShell(inner, {
      ...{ names, remarks, gitIdentity, ofJobs, places: { root, isOffered: readers.isOffered } },
      explain: () => ((own ?? proxies?.shared()) ? explains.hosts : explains.others),
      onEnd: () => own?.end(),
    });
  };
  return {
    shell: shellWith(),
    shellTo(host) {
      const own = proxies?.withHost(host);
      return own && shellWith({ proxy: own });
    },
    judge: readers.judge,
    shellAt: (folder) => shellWith({ folder }),
    running: names.running,
    outside: names.outside,
    async close() {
      await names.close();
      proxies?.close();
      folder.remove();
      return toldAtEnd([...ofJobs, ...names.told()].map(toldOf));
    },
  };
}

/** Of its temporary files, its home and its network, whatever the command inherits. */
function ownVariables(
  { level }: StrongLevel,
  { temporary, home, personHome, network }: CommandSpec,
): Parameters<typeof launchVariables>[1] {
  const isMounted = level === "bubblewrap";
  return {
    TMPDIR: isMounted ? "/tmp" : temporary,
    HOME: isMounted ? personHome : home,
    ...(isMounted ? {} : toolVariables(personHome)),
    ...(typeof network === "object" ? proxyVariables() : {}),
    ...(network === "none" ? NO_RETRIES : {}),
  };
}

function toldAtEnd(lines: readonly string[]): readonly string[] {
  const more = lines.length - MAX_TOLD;
  return more > 0 ? [...lines.slice(0, MAX_TOLD), `… and ${more} more like this`] : lines;
}

/** What one call's commands have besides what all have. */
interface OwnReach {
  readonly proxy?: CommandProxy | undefined;
  readonly folder?: OutsideFolder | undefined;
}

/** What one command has. */
interface Reached {
  readonly proxy: CommandProxy | undefined;
  readonly granted: readonly (OutsideFolder & { readonly hidden: readonly string[] })[];
}

function writableOf(folders: readonly OutsideFolder[]): readonly string[] {
  return folders.flatMap(({ path, isWritable }) => (isWritable ? path : []));
}

interface Explaining {
  readonly names: RunningFolders;
  readonly remarks: CommandRemarks;
  readonly gitIdentity: ReturnType<typeof createGitIdentity>;
  readonly places: Pick<Parameters<typeof outsideHint>[2], "root" | "isOffered">;
  /** What was moved away while a job ran. */
  readonly ofJobs: PutAway[];
  /** For the command that starts now. */
  readonly explain: () => ReturnType<typeof createDenials>;
  /** Called when a command has ended. */
  readonly onEnd: () => void;
}

/** `inner`, with what the sandbox did to each command. */
function explainingShell(
  inner: Shell,
  { names, remarks, gitIdentity, places, ofJobs, explain, onEnd }: Explaining,
): Shell {
  return {
    async exec(command, options) {
      const { mark = createCommandMark() } = options;
      const explained = explain();
      const result = await inner.exec(command, { ...options, mark }).finally(() => {
        onEnd();
        return names.ended(mark);
      });
      const denial =
        outsideHint(command, result, { ...places, cwd: options.cwd }) ?? explained(command, result);
      remarks.sayOnce(gitIdentity.remarkOn(command));
      const note = [
        ...remarks.take().map((line) => `sandbox: ${line}.`),
        ...names.told().map(toModel),
        ...(denial === undefined ? [] : [denial]),
      ].join("\n");
      return note === "" ? result : { ...result, note };
    },
    spawn(command, options) {
      const { mark = createCommandMark() } = options;
      const handle = inner.spawn(command, { ...options, mark });
      // Runs before the caller's own exit listener, so that this is the last output of the job.
      handle.onExit(() => {
        names.sweep();
        for (const moved of names.told()) {
          ofJobs.push(moved);
          void options.onOutput?.("stderr", Buffer.from(`${toModel(moved)}\n`));
        }
        void names.ended(mark);
        onEnd();
      });
      return handle;
    },
  };
}

function toModel(moved: PutAway): string {
  const isWanted = moved.to !== undefined;
  return `sandbox: ${toldOf(moved)}${isWanted ? ` ${IF_WANTED}` : " Tell the person."}`;
}

const IF_WANTED = "If it is wanted, create it with write or edit, or run the command outside.";

/** Why no level can confine a command here, in one line. */
export function whyUnconfined(tried: readonly LevelReport[]): string {
  const reasons = tried.flatMap(({ level, reason }) => (reason === undefined ? [] : [`${level}: ${reason}`]));
  return reasons.length === 0 ? "not available on this system" : reasons.join("; ");
}

/** The resolver's configuration: often a link to a file that a service writes. */
function resolver(): readonly string[] {
  const path = realOr("/etc/resolv.conf");
  return path.startsWith("/etc/") ? [] : [path];
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
