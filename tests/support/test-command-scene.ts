// A place full of what a command must not reach, for tests: a home with a key, another home, listening services, a process with a
// secret, a terminal, shared memory; and the program that tries to reach all of it.

import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type IPty, spawn as openTerminal } from "@lydell/node-pty";

/** Prints the result of each attempt, as JSON: `done`, or the error. */
const ATTEMPTS = `
import * as fs from "node:fs";
import { createSocket } from "node:dgram";
import { createServer, connect } from "node:net";
import { spawnSync } from "node:child_process";
const f = JSON.parse(process.argv[2]);
const outcomes = {};
const attempt = async (name, work) => {
  try { outcomes[name] = (await work()) === false ? "nothing" : "done"; }
  catch (error) { outcomes[name] = String(error.code ?? error.message); }
};
const dial = (options) => new Promise((resolve, reject) => {
  const socket = connect(options, () => { socket.end("x"); });
  socket.on("data", () => undefined).on("end", resolve).on("error", reject);
});
const has = (path, text) => fs.readFileSync(path, "utf8").includes(text);

await attempt("read a file of the workspace", () => has("src/old.txt", "old"));
await attempt("make a file below a folder", () => fs.writeFileSync("src/new.txt", "x"));
await attempt("make a temporary file", () => fs.writeFileSync(process.env.TMPDIR + "/t", "x"));
await attempt("read the system's settings", () => fs.readFileSync("/etc/hosts"));
await attempt("start a program", () => spawnSync("/bin/sh", ["-c", ":"]).status === 0);
await attempt("make a file at the top", () => fs.writeFileSync("top.txt", "x"));
await attempt("change a mode", () => fs.chmodSync("src/old.txt", 0o700));
await attempt("reach a server of its own", async () => {
  const server = createServer((socket) => socket.resume().end("hello")).listen(0, "127.0.0.1");
  await new Promise((resolve, reject) => server.on("listening", resolve).on("error", reject));
  await dial({ host: "127.0.0.1", port: server.address().port });
  server.close();
});

await attempt("read a key in the home", () => has(f.home + "/.ssh/id_rsa", "canary"));
await attempt("see what lies in the home", () => fs.readdirSync(f.home).includes(".ssh"));
await attempt("read another home", () => has(f.other + "/notes", "canary"));
await attempt("read what is denied", () => has("rules/denied.txt", "canary"));
await attempt("read another process's environment", () => has("/proc/" + f.victim + "/environ", "canary"));
await attempt("read another process's command line", () => has("/proc/" + f.victim + "/cmdline", "sleep"));
await attempt("read shared memory", () => has(f.memory, "canary"));
await attempt("read another program's messages", () => {
  const ffi = process.getBuiltinModule("node:ffi");
  const { msgrcv } = ffi.dlopen(null, { msgrcv: f.msgrcv }).functions;
  return msgrcv(f.queue, ffi.getRawPointer(new Uint8Array(64)), 8n, 0n, 0o4000) === 8n;
});
await attempt("open another terminal", () => fs.closeSync(fs.openSync(f.terminal, "r+")));
await attempt("connect over TCP", () => dial({ host: "127.0.0.1", port: f.tcp }));
await attempt("connect to a unix socket", () => dial({ path: f.unix }));
await attempt("connect to an agent", () => dial({ path: process.env.SSH_AUTH_SOCK ?? f.unix }));
await attempt("connect to an abstract socket", () => dial({ path: "\\0" + f.abstract }));
await attempt("send over UDP", () => new Promise((resolve, reject) => {
  const socket = createSocket("udp4");
  socket.on("error", reject).on("message", () => { socket.close(); resolve(); });
  setTimeout(resolve, 2_000, false);
  socket.connect(f.udp, "127.0.0.1", (error) => (error ? reject(error) : socket.send("x")));
}));
await attempt("know where the bus is", () => process.env.DBUS_SESSION_BUS_ADDRESS !== undefined);
await attempt("know where containers are made", () => process.env.DOCKER_HOST !== undefined);
const quiet = (work) => { try { work(); } catch {} };
quiet(() => fs.writeFileSync(f.outside + "/new.txt", "x"));
quiet(() => fs.appendFileSync(f.outside + "/kept.txt", "x"));
quiet(() => fs.truncateSync(f.outside + "/full.txt"));
quiet(() => fs.rmSync(f.outside + "/doomed.txt"));
quiet(() => fs.chmodSync(f.outside + "/mode.txt", 0o777));
quiet(() => fs.writeFileSync(f.home + "/.bashrc", "x"));
quiet(() => fs.writeFileSync(".git/config", "x"));
quiet(() => fs.writeFileSync(".git/hooks/post-checkout", "x"));
quiet(() => fs.writeFileSync(".npmrc", "x"));
quiet(() => { fs.writeFileSync("src/npmrc", "x"); fs.renameSync("src/npmrc", ".npmrc"); });
quiet(() => { fs.linkSync(".npmrc", "src/linked"); fs.writeFileSync("src/linked", "x"); });
quiet(() => fs.rmSync(".npmrc"));
quiet(() => fs.writeFileSync("lib/deep/AGENTS.md", "x"));
quiet(() => fs.renameSync(".git", "src/git"));
quiet(() => fs.rmSync(".vscode", { recursive: true }));
quiet(() => fs.writeFileSync("rules/kept.txt", "x"));
quiet(() => process.kill(f.victim, "SIGKILL"));
process.stdout.write(JSON.stringify(outcomes), () => process.exit(0));
`;

const FILES: Readonly<Record<string, string>> = {
  "home/.ssh/id_rsa": "canary",
  "home/.bashrc": "rc",
  "other/notes": "canary",
  "outside/kept.txt": "kept",
  "outside/full.txt": "full",
  "outside/doomed.txt": "doomed",
  "outside/mode.txt": "mode",
  "ws/src/old.txt": "old",
  "ws/rules/denied.txt": "canary",
  "ws/rules/kept.txt": "kept",
  "ws/.git/config": "[core]\n",
  "ws/.git/hooks/sample": "",
  "ws/.npmrc": "words",
  "ws/.vscode/tasks.json": "{}",
  "ws/lib/deep/AGENTS.md": "words",
  "ws/src/attempts.mjs": ATTEMPTS,
};

interface CommandScene {
  readonly root: string;
  readonly home: string;
  /** What a command inherits there: the person's environment, with the addresses of services. */
  readonly env: Readonly<Record<string, string>>;
  /** The command line that tries everything. */
  readonly line: string;
  /** What rules deny there. */
  readonly refuses: Readonly<Record<"read" | "write", (path: string) => boolean>>;
  /** What was harmed; with `endsVictim` the process is expected to end, which is waited for. */
  readonly damage: (endsVictim: boolean) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

export async function createCommandScene(): Promise<CommandScene> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-command-scene-")));
  const at = (name: string): string => join(base, name);
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text, { mode: 0o644 });
  }
  const abstract = `indus-scene-${process.pid}-${Math.floor(performance.now())}`;
  const servers = [
    await listen({ host: "127.0.0.1", port: 0 }),
    await listen({ path: at("outside/docker.sock") }),
    await listen({ path: at("outside/agent.sock") }),
    ...(process.platform === "linux" ? [await listen({ path: `\0${abstract}` })] : []),
  ];
  const udp = createSocket("udp4", (_, { port, address }) => udp.send("heard", port, address));
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");
  const victim = spawn("/bin/sleep", ["3600"], { env: { CANARY: "canary" }, stdio: "ignore" });
  await once(victim, "spawn");
  const ended = once(victim, "exit");
  const terminal = openTerminal("/bin/sleep", ["3600"], {}) as IPty & { readonly ptsName: string };
  const memory = join(isWritable("/dev/shm") ? "/dev/shm" : at("outside"), abstract); // some containers close it
  writeFileSync(memory, "canary", { mode: 0o600 });
  const messages = openMessages();
  const address = servers[0]?.address();
  const facts = {
    ...{ home: at("home"), other: at("other"), outside: at("outside"), victim: victim.pid, abstract },
    ...{ tcp: typeof address === "object" ? address?.port : undefined, udp: udp.address().port },
    ...{ unix: at("outside/docker.sock"), terminal: terminal.ptsName, memory },
    ...{ queue: messages.queue, msgrcv: MESSAGE_CALLS.msgrcv },
  };
  const text = (name: string): string => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : "gone");
  const harms = (): Readonly<Record<string, boolean>> => ({
    "outside: new": existsSync(at("outside/new.txt")),
    "outside: appended": text("outside/kept.txt") !== "kept",
    "outside: truncated": text("outside/full.txt") !== "full",
    "outside: deleted": !existsSync(at("outside/doomed.txt")),
    "outside: mode": (statSync(at("outside/mode.txt")).mode & 0o777) !== 0o644,
    "home: start file": text("home/.bashrc") !== "rc",
    "protected: settings of git": text("ws/.git/config") !== "[core]\n",
    "protected: hook": existsSync(at("ws/.git/hooks/post-checkout")) || existsSync(at("ws/src/git")),
    "protected: .npmrc": text("ws/.npmrc") !== "words",
    "protected: below": text("ws/lib/deep/AGENTS.md") !== "words",
    "protected: folder": !existsSync(at("ws/.vscode/tasks.json")),
    "denied: written": text("ws/rules/kept.txt") !== "kept",
    "victim ended": victim.exitCode !== null || victim.signalCode !== null,
  });
  return {
    root: at("ws"),
    home: at("home"),
    env: {
      PATH: `${dirname(realpathSync(process.execPath))}:/usr/bin:/bin`,
      HOME: at("home"),
      SSH_AUTH_SOCK: at("outside/agent.sock"),
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${at("outside/agent.sock")}`,
      DOCKER_HOST: `unix://${at("outside/docker.sock")}`,
    },
    line: `node src/attempts.mjs '${JSON.stringify(facts)}'`,
    refuses: {
      read: (path) => path === at("ws/rules/denied.txt"),
      write: (path) => path === at("ws/rules/kept.txt"),
    },
    async damage(endsVictim) {
      await (endsVictim ? ended : Promise.race([ended, sleep(QUIET_MS)])); // a signal takes a moment to take effect
      return Object.entries(harms()).flatMap(([name, isSo]) => (isSo ? [name] : []));
    },
    async close() {
      await end(victim);
      terminal.kill("SIGKILL");
      rmSync(memory);
      messages.close();
      await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
      await new Promise<void>((closed) => udp.close(() => closed()));
      rmSync(base, { recursive: true, force: true });
    },
  };
}

const QUIET_MS = 1_000;

/** Everything that can be harmed there. */
export const HARMS: readonly string[] = [
  ...["outside: new", "outside: appended", "outside: truncated", "outside: deleted", "outside: mode"],
  ...["home: start file", "protected: settings of git", "protected: hook", "protected: .npmrc"],
  ...["protected: below", "protected: folder", "denied: written", "victim ended"],
];

const MESSAGE_CALLS = {
  msgget: { return: "int32", arguments: ["int32", "int32"] },
  msgsnd: { return: "int32", arguments: ["int32", "pointer", "uint64", "int32"] },
  msgrcv: { return: "int64", arguments: ["int32", "pointer", "uint64", "int64", "int32"] },
  msgctl: { return: "int32", arguments: ["int32", "int32", "pointer"] },
} as const;
const PRIVATE = 0o600;
const REMOVE = 0;

/** A message queue of System V with one message; whoever knows its number needs no call that opens it. */
function openMessages(): { readonly queue: number; readonly close: () => void } {
  const ffi = process.getBuiltinModule("node:ffi");
  if (ffi === undefined) throw new Error(`Node ${process.version} has no node:ffi`);
  const { msgget, msgsnd, msgctl } = ffi.dlopen(null, MESSAGE_CALLS).functions;
  const queue = msgget(0, PRIVATE);
  const message = new BigInt64Array([1n, 0n]); // its type, and eight bytes
  if (msgsnd(queue, ffi.getRawPointer(message), 8n, 0) !== 0) throw new Error("there are no message queues");
  return { queue, close: () => void msgctl(queue, REMOVE, 0n) };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function listen(where: {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
}): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy()); // the client can disconnect at any time
    socket.resume().end("hello");
  });
  server.listen(where);
  await once(server, "listening");
  return server;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
