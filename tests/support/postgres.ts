// A separate PostgreSQL for the tests of a file: in a temporary folder, on a socket there, and without a port unless
// requested. It refuses to run as root, so root starts it as nobody.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { lacks } from "./needs.ts";

const folders = ["/usr/lib/postgresql/*/bin", "/usr/local/pgsql/bin", "/usr/local/bin", "/usr/bin"];
const BIN: string | undefined = folders
  .flatMap((pattern) => globSync(pattern).sort().reverse())
  .find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));

/** For `skipIf`. */
export const lacksPostgres = (): boolean => lacks("PostgreSQL", BIN !== undefined);

export interface PostgresServer {
  /** The folder of its socket: `host` of a connection. */
  readonly socket: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Stops it immediately, like a failing machine, and starts it again. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface PostgresSetup {
  /** Lines of `postgresql.conf`. */
  readonly settings?: readonly string[];
  /** Lines of `pg_hba.conf`: who can connect. */
  readonly access?: readonly string[];
  /** Files of its folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

const USER = "indus";
const NOBODY = 65_534;
/** Until it answers; benchmarks start it as well, so this does not wait with vitest. */
const PATIENCE_MS = 60_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function startPostgres(setup: PostgresSetup = {}): Promise<PostgresServer> {
  if (BIN === undefined) throw new Error("no PostgreSQL here: ask lacksPostgres first");
  // A socket's path must be short, so it is not below a long TMPDIR.
  const folder = mkdtempSync("/tmp/indus-pg-");
  const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const own = (path: string): void => {
    if (as.uid !== undefined) chownSync(path, as.uid, as.gid);
  };
  own(folder);
  const [data, socket] = [join(folder, "data"), join(folder, "s")];
  mkdirSync(socket);
  own(socket);
  const env = { PATH: process.env.PATH, LC_ALL: "C" };
  execFileSync(
    join(BIN, "initdb"),
    ["-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
    { ...as, cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] },
  );
  for (const [name, text] of Object.entries(setup.files ?? {})) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    own(join(data, name));
  }
  const settings = [
    "listen_addresses = ''",
    "max_connections = 300",
    "fsync = off",
    ...(setup.settings ?? []),
  ];
  writeFileSync(join(data, "postgresql.auto.conf"), `${settings.join("\n")}\n`);
  if (setup.access) writeFileSync(join(data, "pg_hba.conf"), `${setup.access.join("\n")}\n`);
  const port = setup.settings?.some((line) => line.startsWith("listen_addresses")) ? await freePort() : 5_432;
  const launch = async (): Promise<ChildProcess> => {
    const child = spawn(join(BIN, "postgres"), ["-D", data, "-k", socket, "-p", String(port)], {
      ...as,
      cwd: folder,
      env,
      stdio: "ignore",
    });
    const isReady = (): boolean => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}`);
      try {
        execFileSync(join(BIN, "pg_isready"), ["-q", "-h", socket, "-p", String(port)], { env });
        return true;
      } catch {
        return false;
      }
    };
    for (const deadlineMs = Date.now() + PATIENCE_MS; !isReady(); await wait(20))
      if (Date.now() > deadlineMs) throw new Error("PostgreSQL does not come up");
    return child;
  };
  let child = await launch();
  const onExit = (): void => void child.kill("SIGQUIT"); // whoever started it failed
  process.once("exit", onExit);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await gone;
    }
  };
  return {
    socket,
    port,
    user: USER,
    database: "postgres",
    async restart() {
      await end("SIGQUIT"); // ends without notifying its clients
      child = await launch();
    },
    async stop() {
      await end("SIGQUIT");
      process.off("exit", onExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
