// Runs the real command in a home and a folder of its own, without any of this machine's configuration.

import { type ChildProcess, spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Entry } from "../../packages/induscode/src/conductor/contract.ts";
import { readEntries } from "../../packages/induscode/src/conductor/log-reader.ts";
import { findLogProblems, verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";
import { builtCommand } from "./built.ts";
import { isLong } from "./long-form.ts";
import { needs } from "./needs.ts";
import { runShared } from "./shared-process.ts";

const DEADLINE_MS = 60_000;

/** A key that must never appear anywhere except in a request's header. */
export const CANARY_KEY = "canary-key-5f3a9c";

const made: string[] = [];
process.once("exit", () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly stdin?: string;
  /** A pipe that nobody writes to or closes. */
  readonly holdsStdin?: true;
  readonly env?: Readonly<Record<string, string>>;
  /** When it is killed, in milliseconds. */
  readonly deadlineMs?: number;
  /** Called with the process when it starts. */
  readonly onStart?: (child: ChildProcess) => void;
}

export interface Workplace {
  readonly home: string;
  readonly cwd: string;
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Finished>;
  /** In a process of its own, whatever kind of workplace this is. */
  readonly runAlone: Workplace["run"];
  /** Writes a text file into the folder. */
  readonly file: (path: string, text: string) => string;
  /** Writes a binary file into the folder. */
  readonly bytes: (path: string, content: Uint8Array) => void;
  readonly settings: (value: unknown) => void;
  /** Paths of the session logs, oldest first. */
  readonly logs: () => readonly string[];
  /** The entries of the newest log. */
  readonly entries: () => readonly Entry[];
  readonly entriesOf: (log: string) => readonly Entry[];
  /** What `indus session verify` finds wrong with the newest log, without starting the command. */
  readonly problems: () => readonly string[];
}

export interface WorkplaceOptions {
  /** The command to run; default: the one of this tree. */
  readonly command?: string;
  /** The PATH for finding programs. */
  readonly path?: string;
  /** The mode in its settings if they choose none; "default" leaves it to the product, and so to what the machine can confine. */
  readonly mode?: "acceptEdits" | "default";
  /** Its runs share a process if that makes no difference: for tests that are not about processes. */
  readonly isShared?: boolean;
}

/** A fresh home and folder; both wires answer at `url`. Local model servers are not looked for. */
export function createWorkplace(url?: string, options: WorkplaceOptions = {}): Workplace {
  const {
    command = builtCommand(),
    path = process.env.PATH,
    isShared = false,
    mode = "acceptEdits",
  } = options;
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-e2e-")));
  made.push(base);
  const home = join(base, "home");
  const cwd = join(base, "work");
  mkdirSync(home);
  mkdirSync(cwd);
  const settings = (value: unknown): void =>
    writeFileSync(
      join(home, "settings.json"),
      JSON.stringify(mode === "default" ? value : withMode(value, mode)),
    );
  settings({ localServers: [] });
  const logs = (): readonly string[] =>
    readdirSync(home, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .map((name) => join(home, name));
  const environment = (env: RunOptions["env"] = {}): Record<string, string | undefined> => ({
    PATH: path,
    HOME: home,
    INDUS_HOME: home,
    TMPDIR: tmpdir(), // a rehearsal's folder stays there
    ...(url ? modelEnvironment(url) : {}),
    ...env,
  });
  const runAlone: Workplace["run"] = (
    args,
    { stdin, holdsStdin, env, deadlineMs = DEADLINE_MS, onStart } = {},
  ) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        cwd,
        env: environment(env),
        stdio: [stdin === undefined && !holdsStdin ? "ignore" : "pipe", "pipe", "pipe"],
      });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
      child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
      if (stdin !== undefined) child.stdin?.end(stdin);
      const timer = setTimeout(() => child.kill("SIGKILL"), deadlineMs);
      child.on("error", reject);
      child.on("close", (code) => {
        clearTimeout(timer);
        resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
      });
      onStart?.(child);
    });
  return {
    home,
    cwd,
    settings,
    logs,
    runAlone,
    run: (args, how = {}) =>
      isShared && !isLong && options.command === undefined && isOrdinary(how)
        ? runShared({ args, cwd, env: environment(how.env) })
        : runAlone(args, how),
    file(path, text) {
      if (path.endsWith(".py")) needs("python3"); // an addon: if it cannot run, there is nothing to test
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
      return join(cwd, path);
    },
    bytes(path, content) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), content);
    },
    entries: () => readLog(logs().at(-1) ?? ""),
    entriesOf: readLog,
    problems() {
      const log = readEntries(logs().at(-1) ?? "");
      return findLogProblems(log, verifyEntries(log.entries));
    },
  };
}

/** The settings with this mode, unless they choose one or are invalid. */
function withMode(settings: unknown, mode: string): unknown {
  const isObject = (value: unknown): value is object =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(settings)) return settings;
  const { permissions = {} } = settings as { readonly permissions?: unknown };
  return isObject(permissions) ? { ...settings, permissions: { mode, ...permissions } } : settings;
}

/** Whether nothing about a run concerns the process itself. */
function isOrdinary({ stdin, holdsStdin, onStart, env = {} }: RunOptions): boolean {
  return (
    stdin === undefined &&
    !holdsStdin &&
    onStart === undefined &&
    !Object.keys(env).some((name) => /NODE/.test(name))
  );
}

/** {@link createWorkplace} for tests that are not about processes: its runs share one, except in the long form. */
export function createSharedWorkplace(url?: string, options: WorkplaceOptions = {}): Workplace {
  return createWorkplace(url, { ...options, isShared: true });
}

/** The environment in which `anthropic/scripted` and `openai/scripted` reach the scripted server. */
export function modelEnvironment(url: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: CANARY_KEY,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: CANARY_KEY,
  };
}

/** The complete lines of a log. */
export function readLog(path: string): readonly Entry[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry);
}
