// A board shared by several machines, and its address: postgres://USER@HOST:PORT/DATABASE?board=NAME&secret=VARIABLE. It names the password
// as a secret and never contains it; the server's identity is verified unless it is this machine.

import { userInfo } from "node:os";
import { describeError, nearest, readBoundedFile, resolvePath } from "indusagi/core";
import { type Board, openPostgresBoard, type PostgresPlace } from "indusagi/swarm";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_FAULT, EXIT_USAGE, Problem } from "../../cli/problem.ts";

interface BoardAddress {
  readonly place: PostgresPlace;
  /** The board's name in its database. */
  readonly name: string;
}

const DEFAULT_BOARD = "crew";
const DEFAULT_PORT = 5_432;
const KEYS = ["board", "secret", "user", "host", "sslmode", "sslrootcert"];
const MAX_CERTIFICATE_BYTES: number = 1024 * 1024;

type AddressLine = Pick<Invocation, "env" | "secrets" | "startedIn">;

/** Opens the board at the address of `--board`; `name` is its name there. */
export async function openSharedBoard(
  line: AddressLine & { readonly flags: { readonly board?: string | undefined } },
): Promise<{ readonly board: Board; readonly name: string }> {
  const { place, name } = readBoardAddress(line.flags.board ?? "", line);
  return { board: await openPostgresBoard(place, name), name };
}

/** Throws a {@link Problem} that says what is wrong with the address and shows none of its secrets. */
export function readBoardAddress(text: string, { env, secrets, startedIn }: AddressLine): BoardAddress {
  const refuse: Refuse = (problem, exitCode = EXIT_USAGE) => {
    throw new Problem(`--board: ${problem}`, exitCode);
  };
  const url = URL.parse(text);
  if (!url || !["postgres:", "postgresql:"].includes(url.protocol))
    return refuse("expected an address such as postgres://HOST/DATABASE, found something else");
  if (url.password !== "")
    return refuse(
      "an address must not contain a password, which every program on this machine could read: put it in a variable, and add ?secret=NAME with that variable's name. The password you just typed is no longer secret",
    );
  const known = Object.fromEntries(url.searchParams);
  for (const key of Object.keys(known)) {
    if (KEYS.includes(key)) continue;
    const meant = nearest(key, KEYS);
    refuse(
      `unknown parameter ${JSON.stringify(key)}; ${meant ? `did you mean ${meant}?` : `expected one of ${KEYS.join(", ")}`}`,
    );
  }
  const host =
    known.host || plain(url.hostname, refuse).replace(/^\[|\]$/g, "") || refuse("the host is missing");
  const database = plain(url.pathname.slice(1), refuse) || refuse("the database is missing");
  const user = known.user || plain(url.username, refuse) || userInfo().username;
  const { secret, sslrootcert } = known;
  const password = secret === undefined ? undefined : env[secret];
  if (secret !== undefined && !password)
    refuse(`its secret is the variable ${secret}, which is not set`, EXIT_FAULT);
  if (secret !== undefined && password) secrets.add(secret, password);
  const isChecked = checksWhoAnswers(host, known.sslmode, refuse);
  const ca =
    sslrootcert === undefined ? {} : { ca: readCertificate(resolvePath(startedIn, sslrootcert), refuse) };
  return {
    place: {
      ...{ host, database, user, port: Number(url.port || DEFAULT_PORT) },
      password: password === undefined ? undefined : () => password,
      tls: isChecked ? ca : undefined,
    },
    name: known.board ?? DEFAULT_BOARD,
  };
}

type Refuse = (problem: string, exitCode?: number) => never;

function plain(part: string, refuse: Refuse): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return refuse(`${JSON.stringify(part)} is not percent-encoded; write a percent sign as %25`);
  }
}

function checksWhoAnswers(host: string, mode: string | undefined, refuse: Refuse): boolean {
  const isHere =
    host.startsWith("/") || host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
  if (mode === "verify-full" || (mode === undefined && !isHere)) return true;
  if (isHere && (mode === undefined || mode === "disable")) return false;
  const why = mode === "disable" ? "sends everything unencrypted" : "does not verify the server";
  return refuse(`sslmode=${mode} ${why}: expected verify-full${isHere ? " or disable" : ""}`);
}

function readCertificate(path: string, refuse: Refuse): string {
  try {
    return readBoundedFile(path, MAX_CERTIFICATE_BYTES, { followsLinks: true }).toString("utf8");
  } catch (error) {
    return refuse(`the certificate ${path} cannot be read: ${describeError(error)}`, EXIT_FAULT);
  }
}
