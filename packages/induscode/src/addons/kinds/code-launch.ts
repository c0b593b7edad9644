// How the process of a code addon starts: only with the content that was trusted, and confined to what it was granted.

import { existsSync } from "node:fs";
import type { SecretMask } from "indusagi/core";
import { leavesSandbox } from "../../feature/capabilities.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import { homePath } from "../../store/home-files.ts";
import { type AddonId, type Admission, LoaderError } from "../contract.ts";
import type { Launch } from "../process/addon-launcher.ts";
import { type AddonProgram, type CodeAddon, worksForPrograms } from "../process/contract.ts";
import { isProtectedPath, type Protection } from "../process/protected-path.ts";
import type { ProtocolLimits } from "../process/protocol/contract.ts";
import { LOGIN_VARIABLE } from "../process/protocol/login-variable.ts";
import type { Sandbox, SandboxSpec } from "../sandbox/contract.ts";
import { createGrantedHosts } from "../sandbox/hosts/granted-hosts.ts";
import type { SandboxPolicy } from "../sandbox/sandbox-policy.ts";
import { addonEnvironment, policyOf, sandboxSpec, secretVariables } from "../sandbox/spec.ts";
import type { HeldNames } from "../source/held-names.ts";
import type { KnownContent } from "../source/known-content.ts";
import { createTrust } from "../source/trust.ts";
import { holdsSecret } from "./mcp.ts";
import { openServerState, stateVariables } from "./server-state.ts";

/** What the processes of all code addons of a session share. */
export interface CodeLaunchDeps {
  /** The product's home folder. */
  readonly home: string;
  /** Absolute; what grants for files are confined to. */
  readonly workspace: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the secrets that were granted are read from, and nothing else is; default: `env`. */
  readonly secretEnv?: Readonly<Record<string, string | undefined>> | undefined;
  readonly sandbox: Sandbox;
  /** The limits of each addon's connection. */
  readonly limits: ProtocolLimits;
  readonly content: Pick<KnownContent, "hashToRun">;
  /** Learns the secrets that a server's process gets in its environment. */
  readonly secrets?: Pick<SecretMask, "add">;
  /** The person's mode is read-only: an addon's process writes nothing, whatever it was granted. */
  readonly isReadOnly?: boolean;
  /** Real paths of what agents read as instructions in this session, whatever their names. */
  readonly documents?: (names: readonly string[]) => readonly string[];
  /** The home with the person's answers; default: the same. */
  readonly answersIn?: string | undefined;
  /** Holds names that appear while a process that may write is running. */
  readonly held?: Pick<HeldNames, "begin" | "during"> | undefined;
}

interface CodeLaunch {
  readonly policy: SandboxPolicy;
  /** Whether the addon may not write there, whatever it was granted. */
  readonly isProtected: (realPath: string) => boolean;
  /** `called` is its name by then. */
  readonly start: (called: AddonId) => Promise<Launch>;
  /** Closes what its process used to reach hosts. */
  readonly end: () => void;
}

/** What the person's programs inherit, without credentials: those that it may have were granted by name. */
function plainVariables(env: CodeLaunchDeps["env"]): Record<string, string> {
  const holds = holdsSecret(env);
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || holds(value) ? [] : [[name, value]],
    ),
  );
}

function withoutWriting(grant: HostCapability): HostCapability {
  return grant.kind === "files" ? { ...grant, write: false } : grant;
}

/** `log` writes to the addon's own log. */
export function createCodeLaunch(
  code: CodeAddon,
  admission: Admission,
  deps: CodeLaunchDeps,
  log: (text: string) => void,
): CodeLaunch {
  const { source } = code;
  const { grants, hash } = admission;
  const { workspace, env, secretEnv = env, sandbox, secrets } = deps;
  // Only what works for programs of others has a use for it, and only the person's own answer about these very files counts.
  const isUnconfined = code.runtime === "mcp" && leavesSandbox(grants);
  const policy: SandboxPolicy = { ...policyOf(grants, workspace), limits: deps.limits };
  const hosts =
    worksForPrograms(code) && !isUnconfined && sandbox.levelFor({ isNode: false }) === "bubblewrap"
      ? createGrantedHosts(grants, log)
      : undefined;
  const secretsOfPrograms = worksForPrograms(code) ? secretVariables(grants, secretEnv) : {};
  for (const [name, value] of Object.entries(secretsOfPrograms)) secrets?.add(name, value);
  // Known before any of its code runs: no request can arrive earlier.
  let protection: Protection | undefined;
  return {
    policy,
    isProtected: (realPath) => !protection || isProtectedPath(realPath, protection),
    async start(called) {
      // The process may start long after the load, and the folder may have been changed since.
      if (deps.content.hashToRun(source) !== hash)
        throw new LoaderError(
          { kind: "io", path: source.path },
          "it has changed since it was trusted; start indus again",
        );
      const program = await code.program(admission);
      if (isUnconfined) return outside(program, called);
      const held = deps.isReadOnly ? grants.map(withoutWriting) : grants;
      const reach = sandboxSpec(program, held, workspace, deps.documents);
      const own = worksForPrograms(code) ? stateOf(called) : undefined;
      const windows = opensRoot(reach) ? await import("../sandbox/root-window/root-window.ts") : undefined;
      const wanted = windows?.placesToKeep(reach);
      const keeps = wanted === undefined || "problem" in wanted ? undefined : wanted;
      const spec = { ...reach, proxy: hosts?.proxy(), own, keeps };
      protection = { root: spec.writable[0] ?? workspace, places: spec.protected };
      if (spec.closed) log(`read-only, because they contain too many entries: ${spec.closed.join(", ")}`);
      const { argv, level } = sandbox.confine(program.argv, spec);
      if (spec.writable.length > 0)
        deps.held?.begin({
          ...{ addon: called, root: workspace, kept: spec.protected },
          isConfined: level !== "none",
        });
      const kept = keeps && deps.held?.during(workspace, called);
      const protectedNow = (): readonly string[] =>
        sandboxSpec(program, held, workspace, deps.documents).protected;
      const window =
        wanted !== undefined && "problem" in wanted
          ? windows?.shutWindow(wanted.problem, log)
          : windows?.createRootWindow({ root: workspace, spec, protectedNow, kept, log });
      const ownVariables = own === undefined ? {} : stateVariables(own);
      const login = await loginOf(code);
      return {
        argv,
        cwd: program.cwd,
        env: { ...secretsOfPrograms, ...addonEnvironment(policy, env), ...ownVariables, ...login },
        window,
      };
    },
    end: () => hosts?.end(),
  };

  /** Whether folders that contain something protected become writable while a tool of this server runs. */
  function opensRoot({ writable, isNode }: SandboxSpec): boolean {
    return worksForPrograms(code) && writable.length > 0 && sandbox.levelFor({ isNode }) === "bubblewrap";
  }

  /** As the person's own programs start; never where nothing may be written. */
  async function outside({ argv, cwd }: AddonProgram, called: AddonId): Promise<Launch> {
    const stored = await createTrust({ home: deps.answersIn ?? deps.home }).lookup(hash);
    const refused = (why: string): LoaderError =>
      new LoaderError({ kind: "unsupported", path: source.path }, why);
    if (stored === undefined || !leavesSandbox(stored.granted))
      throw refused(
        "nobody has agreed that these files run outside of the sandbox: indus add … --unconfined asks",
      );
    if (deps.isReadOnly)
      throw refused(
        "the permission mode is read-only, and it runs outside of the sandbox, where nothing holds it to that",
      );
    log("it runs outside of the sandbox\n");
    deps.held?.begin({ addon: called, root: workspace, kept: [], isConfined: false });
    protection = { root: workspace, places: [] };
    return { argv, cwd, env: { ...plainVariables(env), ...secretsOfPrograms } };
  }

  /** Of a server that is reached over HTTP, and that the person logged in at. */
  async function loginOf({ loginUrl: url }: CodeAddon): Promise<Readonly<Record<string, string>>> {
    if (url === undefined || !existsSync(homePath(deps.home, "serverLogins"))) return {};
    const { accessToken } = await import("./server-login.ts");
    const hide = (secret: string): void => void secrets?.add(LOGIN_VARIABLE, secret);
    const token = await accessToken({ home: deps.home, root: source.root, url }, log, hide);
    return token === undefined ? {} : { [LOGIN_VARIABLE]: token };
  }

  function stateOf(called: AddonId): string | undefined {
    if (!deps.isReadOnly) return openServerState(deps.home, source, called);
    log("the permission mode is read-only: its server has no folder of its own\n");
    return undefined;
  }
}
