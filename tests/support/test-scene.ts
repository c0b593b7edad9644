// A scene for the denial tests: a home with a secret, a workspace, an addon, listeners on loopback and a process of the
// person's; and the visible effects that a program had on them.

import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { NODE_ATTEMPTS, PYTHON_ATTEMPTS } from "./test-attempts.ts";
import { PATIENCE_MS } from "./until.ts";

export interface Scene {
  readonly root: string;
  readonly workspace: string;
  readonly addon: string;
  /** The argument for the programs. */
  readonly facts: (program: string) => string;
  /** What happened, by name; all `false` if nothing did. Waits for what is named, or for a while if nothing is. */
  readonly damage: (awaited?: readonly string[]) => Promise<Readonly<Record<string, boolean>>>;
  readonly close: () => Promise<void>;
}

/** The system's Python, if it has one. */
export const PYTHON: string | undefined = ["/usr/bin/python3", "/usr/local/bin/python3"]
  .filter((path) => existsSync(path))
  .map((path) => realpathSync(path))[0];

export const NODE: string = realpathSync(process.execPath);

const FILES: Readonly<Record<string, string>> = {
  "home/.ssh/id_rsa": "canary",
  "outside/kept.txt": "kept",
  "outside/full.txt": "full",
  "outside/doomed.txt": "doomed",
  "outside/mode.txt": "mode",
  "outside/dates.txt": "dates",
  "ws/README.md": "# readme\n",
  "ws/src/old.txt": "old",
  "ws/.git/config": "[core]\n",
  "ws/.git/packed": "packed",
  "ws/.git/hooks/sample": "",
  "ws/.claude/settings.json": "{}",
  "ws/lib/deep/AGENTS.md": "words",
  "addon/attempts.mjs": NODE_ATTEMPTS,
  "addon/attempts.py": PYTHON_ATTEMPTS,
};

/** Prints what arrives at its unix socket. Not the victim, which may be ended before it has read what was sent. */
const LISTENER = `
import socket, sys
inbox = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
inbox.bind(sys.argv[1])
print("ready", flush=True)
print(inbox.recv(64).decode(), flush=True)
`;

/** A new scene. The caller closes it. */
export async function createScene(): Promise<Scene> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "indus-scene-")));
  const at = (name: string): string => join(root, name);
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text, { mode: 0o644 });
  }
  symlinkSync(at("outside"), at("ws/src/way-out"));

  const heard = new Set<string>();
  const tcp = await listen("tcp", { host: "127.0.0.1", port: 0 }, heard);
  const unix = await listen("unix", { path: at("outside/stream.sock") }, heard);
  const udp = createSocket("udp4", () => heard.add("udp"));
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");
  const victim = await startVictim();
  const listener = await startListener(at("outside/datagrams.sock"), heard);

  const tcpAddress = tcp.address();
  const text = (name: string): string => readFileSync(at(name), "utf8");
  const lookAround = (): Readonly<Record<string, boolean>> => ({
    "outside: new file": existsSync(at("outside/new.txt")),
    "outside: appended": text("outside/kept.txt") !== "kept",
    "outside: truncated": text("outside/full.txt") !== "full",
    "outside: deleted": !existsSync(at("outside/doomed.txt")),
    "outside: mode": (statSync(at("outside/mode.txt")).mode & 0o777) !== 0o644,
    "outside: dates": statSync(at("outside/dates.txt")).mtimeMs === 1000,
    "outside: through the link": existsSync(at("outside/linked.txt")),
    "own program":
      text("addon/attempts.mjs") !== NODE_ATTEMPTS || text("addon/attempts.py") !== PYTHON_ATTEMPTS,
    "protected: changed": text("ws/.git/config") !== "[core]\n",
    "protected: hook": existsSync(at("ws/.git/hooks/post-checkout")),
    "protected: .mcp.json": existsSync(at("ws/.mcp.json")),
    "protected: .indus": existsSync(at("ws/.indus")),
    "protected: link": existsSync(at("ws/CLAUDE.md")),
    "protected: hard link": text("ws/.git/packed") !== "packed",
    "protected: below": text("ws/lib/deep/AGENTS.md") !== "words",
    "protected: renamed": !existsSync(at("ws/.claude")),
    "heard: tcp": heard.has("tcp"),
    "heard: udp": heard.has("udp"),
    "heard: unix": heard.has("unix"),
    "heard: datagram": heard.has("datagram"),
    "victim ended": victim.exitCode !== null || victim.signalCode !== null,
  });
  return {
    root,
    workspace: at("ws"),
    addon: at("addon"),
    facts: (program) =>
      JSON.stringify({
        ...{ workspace: at("ws"), home: at("home"), outside: at("outside"), own: program },
        ...{ tcp: typeof tcpAddress === "object" ? tcpAddress?.port : undefined, udp: udp.address().port },
        ...{ unix: at("outside/stream.sock"), datagrams: at("outside/datagrams.sock"), victim: victim.pid },
      }),
    damage: async (awaited = []) => {
      await settle(
        () => awaited.every((name) => lookAround()[name]),
        awaited.length > 0 ? PATIENCE_MS : QUIET_MS,
      );
      return lookAround();
    },
    close: async () => {
      await Promise.all([victim, listener].map(endChild));
      await Promise.all([tcp, unix].map((server) => new Promise((closed) => server.close(closed))));
      await new Promise<void>((closed) => udp.close(() => closed()));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function listen(
  name: string,
  where: { readonly host?: string; readonly port?: number; readonly path?: string },
  heard: Set<string>,
): Promise<Server> {
  const server = createServer((socket) => {
    heard.add(name);
    // The client can disconnect at any time.
    socket.on("error", () => socket.destroy());
    socket.end("hello");
  });
  server.listen(where);
  await once(server, "listening");
  return server;
}

/** Has a canary in its environment and does nothing. */
async function startVictim(): Promise<ChildProcess> {
  const victim = spawn("/bin/sleep", ["3600"], { env: { CANARY: "canary" }, stdio: "ignore" });
  await once(victim, "spawn");
  return victim;
}

/** Resolves once the socket exists; undefined without Python, which JavaScript's attempts do not need. */
async function startListener(inbox: string, heard: Set<string>): Promise<ChildProcess | undefined> {
  if (PYTHON === undefined) return undefined;
  const listener = spawn(PYTHON, ["-c", LISTENER, inbox], { stdio: ["ignore", "pipe", "inherit"] });
  const ready = once(listener.stdout, "data");
  listener.stdout.on("data", (chunk: Buffer) => {
    if (chunk.toString().includes("pair")) heard.add("datagram");
  });
  await ready;
  return listener;
}

async function endChild(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

const QUIET_MS = 300;

/** Gives sent data the time to arrive: until the condition holds, or at most `limitMs`. */
async function settle(condition: () => boolean, limitMs: number): Promise<void> {
  const isAwaited = limitMs > QUIET_MS;
  for (let ms = 0; ms < limitMs && !(isAwaited && condition()); ms += 10) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
