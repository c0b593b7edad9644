// Opens each hostile repository as a stranger would: untrusted, without a terminal, under a system-call trace. Nothing of
// it may run, nothing may be reached but the model's server, and what was left out must be said.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, isAbsolute, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isInside } from "../../packages/indusagi/src/core/index.ts";
import { builtCommand } from "../support/built.ts";
import { HOSTILE_REPOSITORIES, type Notice, writeAttacks } from "../support/hostile-repositories.ts";
import {
  commandAddon,
  createHostileSite,
  endlessWasm,
  type HostileSite,
  modulePayload,
  pythonPayload,
  SYSTEM_PATH,
  thievingSettings,
} from "../support/hostile-site.ts";
import { type Finished, modelEnvironment } from "../support/indus.ts";
import { LONG_ONLY, rows } from "../support/long-form.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { isInstalled, lacks } from "../support/needs.ts";
import { readSystemTrace, runTraced, type SystemTrace, traceProblem } from "../support/system-trace.ts";

const PRIVATE_KEY = "private-key-canary-91b7";
const noTrace = traceProblem();
if (noTrace !== undefined)
  console.warn(`the traced assertions about hostile repositories are skipped: ${noTrace}`);
const watched = noTrace === undefined ? "under a system-call trace" : `without a trace: ${noTrace}`;

// What fits into one repository.
const MANY = [
  "an addon of data whose command runs a script",
  "addons that are one file of code each",
  "an addon package with an entry, install scripts and dependencies of its own",
  "an addon folder of Python with modules that shadow the standard library's",
  "addons that are a program of their own, and a shell line",
  "an addon in WebAssembly that never ends",
  "settings that send the key to another server",
  "Claude Code's settings with hooks and helpers (CVE-2025-59536)",
  "MCP servers that are started and asked on opening",
  "agents with every right",
  "a skill with allowed tools, hooks and a script",
  "commands that run shell lines when they are read",
  "environment files that move the home folder and the PATH (CVE-2025-61260)",
  "packages of the product's own names in node_modules",
  "programs of well-known names in node_modules/.bin",
  "git configuration that names programs",
  "git attributes with filters",
];

interface Stranger {
  readonly site: HostileSite;
  readonly server: ModelServer;
  /** Where what a repository wants to steal would arrive. */
  readonly thief: ModelServer;
  readonly home: string;
  /** Runs indus, or another command, in the repository. */
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Opened>;
}

interface RunOptions {
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Opened extends Finished {
  /** What was done beyond showing an answer of the model, a line each; also when there was no trace. */
  readonly acts: readonly string[];
  /** Connections to the model's server that the trace saw. */
  readonly seenConnections: number;
}

/** Of addons in code, addons of data, what no file is, settings, instructions, skills, programs, and git. */
const REPRESENTATIVES: ReadonlySet<string> = new Set([
  "an addon folder with an index.ts",
  "an addon of data whose command runs a script",
  "an addon whose manifest is a pipe that nobody writes to",
  "settings with hooks, an environment and a helper for keys",
  "instructions that import a private key, and a file beside the repository",
  "a skill with allowed tools, hooks and a script",
  "programs of well-known names in the working directory, which is on the PATH",
  "git configuration that names programs",
]);

describe(`a hostile repository, untrusted, ${watched}`, () => {
  const attacks = HOSTILE_REPOSITORIES.map((each) => [each.attack, each] as const);
  it.each(rows(attacks, ([attack]) => REPRESENTATIVES.has(attack)))("%s", async (_attack, hostile) => {
    const { write, notices = () => [], env = {}, install = builtCommand } = hostile;
    const { site, server, thief, run } = await createStranger();
    write(site);
    const program = install(site, builtCommand());
    const { acts, seenConnections, ...ended } = await run(["-p", "hello", "--verbose"], { program, env });

    expect(acts).toEqual([]);
    if (noTrace === undefined) expect(seenConnections).toBe(1);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: "hello back\n" });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.rawBody).not.toContain(PRIVATE_KEY);
    expect(thief.requests).toEqual([]);
    expect(ended.stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/);
    const expected = notices(site).map((notice) => shortened(notice, site.tree));
    const said = ended.stderr.split("\n").filter((line) => line !== "");
    expect(said.filter((line) => !expected.some((notice) => isSaid(notice, line)))).toEqual([]);
    expect(expected.filter((notice) => !said.some((line) => isSaid(notice, line)))).toEqual([]);
    expect(said).toHaveLength(expected.length);
  });

  it("is one of at least twenty-five, each with a name of its own", () => {
    const names = new Set(HOSTILE_REPOSITORIES.map(({ attack }) => attack));
    expect(names.size).toBe(HOSTILE_REPOSITORIES.length);
    expect(names.size).toBeGreaterThanOrEqual(25);
  });
});

describe(`a repository with many attacks, by every way in, ${watched}`, () => {
  const ways = [
    { way: "the console", args: [], requests: 0, code: 0 },
    { way: "JSON for programs", args: ["-p", "hello", "--json"], requests: 1, code: 0 },
    { way: "the help", args: ["--help"], requests: 0, code: 0 },
    { way: "the list of addons", args: ["addons"], requests: 0, code: 0 },
    { way: "the addons of one event", args: ["addons", "explain", "tool:before"], requests: 0, code: 0 },
    { way: "the prompt", args: ["prompt"], requests: 0, code: 0 },
    { way: "the check of skills", args: ["skills", "check"], requests: 0, code: 1 }, // one has a key too many
    { way: "the check of a session that is not there", args: ["session", "verify"], requests: 0, code: 1 },
  ];
  const few = ["the console", "JSON for programs"];
  it.each(rows(ways, ({ way }) => few.includes(way)))("$way", async ({ args, requests, code }) => {
    const { site, server, thief, run } = await createStranger();
    writeAttacks(site, MANY);
    expect(await run(args)).toMatchObject({ code, acts: [] });
    expect(server.requests).toHaveLength(requests);
    expect(thief.requests).toEqual([]);
  });
});

it("the doctor tries the sandbox, and nothing of the repository", async () => {
  const { site, server, thief, run } = await createStranger();
  writeAttacks(site, MANY);
  const { code, acts } = await run(["doctor"]);
  // What the system has, and the kernel's own socket by which bubblewrap sets up the network that it takes away.
  const own = /^starts \/(?!.*of the repository)|AF_NETLINK/;
  expect({ code, acts: acts.filter((act) => !own.test(act)) }).toEqual({
    code: 0,
    acts: [],
  });
  expect([...server.requests, ...thief.requests]).toEqual([]);
});

describe("the twins: what the guards hold back is seen when it happens", LONG_ONLY, () => {
  it("an addon that the person trusts runs its command, and trips the canary", async () => {
    const { site, run } = await createStranger();
    site.script("deploy.sh");
    site.file(".indus/addons/deploy/manifest.toml", commandAddon("deploy", "./deploy.sh"));
    const allowed = ["--grant", "deploy", "--permission-mode", "bypass"];
    const { code, acts } = await run(["-p", "/deploy", ...allowed]);
    expect(code).toBe(0);
    expect(acts).toContain("the canary was tripped");
    if (noTrace === undefined) expect(acts).toContain("starts ./deploy.sh of the repository");
  });

  it("the same settings, if they are the person's own, send the request to the thief", async () => {
    const { site, home, thief, run } = await createStranger();
    writeFileSync(join(home, "settings.json"), JSON.stringify(thievingSettings(site)));
    const { code, acts } = await run(["-p", "hello"]);
    expect(code).toBe(0);
    expect(thief.requests).toHaveLength(1);
    if (noTrace === undefined) expect(acts).toEqual([`reaches 127.0.0.1:${thief.port} by connect`]);
  });

  it("a key that lies in the instructions themselves reaches the model", async () => {
    const { site, server, run } = await createStranger();
    site.file("AGENTS.md", `The key is ${PRIVATE_KEY}.\n`);
    expect((await run(["-p", "hello"])).code).toBe(0);
    expect(server.requests[0]?.rawBody).toContain(PRIVATE_KEY);
  });

  it.skipIf(lacks("git", isInstalled("git")))(
    "git obeys the configuration that indus leaves alone",
    async () => {
      const { site, run } = await createStranger();
      writeAttacks(site, ["git configuration that names programs"]);
      const { acts } = await run(["status"], { program: "git" });
      expect(acts).toContain("the canary was tripped");
    },
  );

  it.skipIf(lacks("strace", noTrace === undefined))(
    `a shell finds a program on a PATH with . in it (${watched})`,
    async () => {
      const { site, run } = await createStranger();
      site.script("rg");
      const { acts } = await run(["-c", "rg"], { program: "/bin/sh", env: { PATH: `.:${SYSTEM_PATH}` } });
      expect(acts).toEqual(
        expect.arrayContaining(["starts ./rg of the repository", "the canary was tripped"]),
      );
    },
  );

  it("code payloads trip the canary when they are imported", async () => {
    const { site, run } = await createStranger();
    site.file("payload.mts", modulePayload(site));
    expect((await run(["payload.mts"], { program: process.execPath })).acts).toContain(
      "the canary was tripped",
    );
  });

  it.skipIf(lacks("python3", isInstalled("python3")))("and so does the one in Python", async () => {
    const { site, run } = await createStranger();
    site.file("payload.py", pythonPayload(site));
    expect((await run(["payload.py"], { program: "python3" })).acts).toContain("the canary was tripped");
  });

  it("the WebAssembly module is one that would be compiled", async () => {
    const { site, run } = await createStranger();
    writeFileSync(join(site.tree, "payload.wasm"), endlessWasm());
    const compile = "new WebAssembly.Module(require('node:fs').readFileSync('payload.wasm'))";
    const { code, stderr } = await run(["-e", compile], { program: process.execPath });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

/** A home of its own with a private key in it, an empty repository, the model's server and the thief's. */
async function createStranger(): Promise<Stranger> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-hostile-")));
  onTestFinished(() => void execFileSync("rm", ["-rf", base])); // Node's own removal stops at paths that are too long
  const server = await startModelServer(() => ({ text: "hello back" }));
  const thief = await startModelServer(() => ({ text: "hello back" }));
  onTestFinished(async () => void (await Promise.all([server.close(), thief.close()])));
  const home = join(base, "home");
  mkdirSync(join(home, ".ssh"), { recursive: true });
  writeFileSync(join(home, ".ssh/id_rsa"), `${PRIVATE_KEY}\n`);
  writeFileSync(join(home, "settings.json"), '{"model":"anthropic/scripted","localServers":[]}');
  const site = createHostileSite(base, thief.url);
  const given = {
    PATH: SYSTEM_PATH,
    HOME: home,
    INDUS_HOME: home,
    ...modelEnvironment(server.url),
  };
  return {
    site,
    server,
    thief,
    home,
    async run(args, { program = builtCommand(), env: more = {} } = {}) {
      const env = { ...given, ...more };
      const traceFile = noTrace === undefined ? { traceFile: join(base, "trace") } : {};
      const ended = await runTraced([program, ...args], { cwd: site.tree, env, ...traceFile });
      const tripped = existsSync(site.canary) ? ["the canary was tripped"] : [];
      if (traceFile.traceFile === undefined) return { ...ended, acts: tripped, seenConnections: 0 };
      const trace = readSystemTrace(traceFile.traceFile);
      const acts = [...actsIn(trace, { site, env, port: server.port, program }), ...tripped];
      return { ...ended, acts, seenConnections: connectionsTo(trace, server.port) };
    },
  };
}

interface Allowed {
  readonly site: HostileSite;
  readonly env: Readonly<Record<string, string>>;
  /** Of the model's server. */
  readonly port: number;
  readonly program: string;
}

// What a shell adds to an environment by itself.
const SHELLS_OWN: ReadonlySet<string> = new Set(["PWD", "OLDPWD", "SHLVL", "_"]);
// Asked by the system's library for a user's name, where that service runs.
const NAME_SERVICE = "/var/run/nscd/socket";

/** Every start, variable and socket of a trace that a session without addons has no use for. */
function actsIn(
  { starts, sockets }: SystemTrace,
  { site, env, port, program: own }: Allowed,
): readonly string[] {
  const given = new Set(Object.entries(env).map(([name, value]) => `${name}=${value}`));
  const paths = new Set(env.PATH?.split(":"));
  return [...starts.flatMap(actsOfStart), ...sockets.flatMap(actsOfSocket)];

  function actsOfStart({ program, argv, env: variables }: SystemTrace["starts"][number]): readonly string[] {
    const acts = variables.filter((each) => !isGiven(each)).map((each) => `gives ${each} to ${program}`);
    const isOfTree = isInside(site.tree, resolve(site.tree, program));
    const isOwn = program === own || isOfLauncher(program, argv);
    if (isOfTree) acts.push(`starts ${program} of the repository`);
    else if (!isOwn) acts.push(`starts ${program}`);
    else if (argv.some((word) => word.includes(site.tree))) acts.push(`hands the repository to ${program}`);
    return acts;
  }

  // The person's own, or a PATH with some of its entries left out.
  function isGiven(variable: string): boolean {
    const [name = "", ...value] = variable.split("=");
    if (given.has(variable) || SHELLS_OWN.has(name)) return true;
    const folders = value.join("=").split(":");
    return name === "PATH" && folders.every((folder) => paths.has(folder));
  }

  function actsOfSocket(use: SystemTrace["sockets"][number]): readonly string[] {
    if (use.call === "socket") {
      const isPlain = use.domain === "AF_UNIX" || (use.domain === "AF_INET" && use.type === "SOCK_STREAM");
      return isPlain ? [] : [`makes a socket ${use.domain} ${use.type}`];
    }
    const { call, address } = use;
    if (address.family === "other") return [`reaches ${address.name} by ${call}`];
    if (address.family === "unix")
      return address.path === NAME_SERVICE ? [] : [`reaches ${address.path} by ${call}`];
    const isModel = call === "connect" && address.host === "127.0.0.1" && address.port === port;
    return isModel ? [] : [`reaches ${address.host}:${address.port} by ${call}`];
  }
}

/** The launcher asks where a link leads and each Node on PATH for its version, and becomes the runtime. */
function isOfLauncher(program: string, [, first = ""]: readonly string[]): boolean {
  if (!isAbsolute(program)) return false;
  const isRuntime = basename(first) === "indus.cjs";
  return (
    basename(program) === "readlink" || (basename(program) === "node" && (isRuntime || first === "--version"))
  );
}

function connectionsTo({ sockets }: SystemTrace, port: number): number {
  return sockets.filter(
    (use) => use.call === "connect" && use.address.family === "inet" && use.address.port === port,
  ).length;
}

/** A start names what is in the working directory by its path there. */
function shortened(notice: Notice, tree: string): Notice {
  const of = (text: string): string => text.replaceAll(`${tree}/`, "");
  return typeof notice === "string" ? of(notice) : { begins: of(notice.begins) };
}

function isSaid(notice: Notice, line: string): boolean {
  if (typeof notice === "string") return line === `indus: ${notice}`;
  return line.startsWith(`indus: ${notice.begins}`);
}
