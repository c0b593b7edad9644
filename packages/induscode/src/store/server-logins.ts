// Logins at MCP servers: what an authorization server gave the person, by the place of the addon and the address that it is for. Another
// addon with the same address has none of it. Readable only by the person; no process of an addon sees the file.

import { errorCode, isTable } from "indusagi/core";
import { HOME_FILES, homePath } from "./home-files.ts";
import { readJson } from "./json.ts";
import { updateFile } from "./replace-file.ts";

/** One login. What is in the tables is the protocol's. */
export interface ServerLogin {
  /** As the authorization server knows this client. */
  readonly client?: object | undefined;
  readonly tokens?: object | undefined;
  /** Which authorization server it is, so that a renewal asks no other one. */
  readonly discovery?: object | undefined;
  /** Until when the access token is good, in milliseconds since 1970; absent: nobody said. */
  readonly expiresMs?: number | undefined;
}

/** Whose login it is. */
export interface LoginPlace {
  /** The product's home folder. */
  readonly home: string;
  /** The addon's folder. */
  readonly root: string;
  readonly url: string;
}

const { maxBytes, version } = HOME_FILES.serverLogins;

/** Undefined if there is none. Throws if the file cannot be used. */
export function readLogin(place: LoginPlace): ServerLogin | undefined {
  return readLogins(place.home)[keyOf(place)];
}

/** Stores a login durably; without one, removes it. */
export async function storeLogin(place: LoginPlace, login: ServerLogin | undefined): Promise<void> {
  await updateFile(homePath(place.home, "serverLogins"), () => {
    const { [keyOf(place)]: _, ...others } = readLogins(place.home);
    const logins = login === undefined ? others : { ...others, [keyOf(place)]: login };
    return `${JSON.stringify({ version, logins }, undefined, 2)}\n`;
  });
}

/** What of a protocol's table nobody may see. */
const SECRET_KEYS: readonly string[] = [
  "access_token",
  "refresh_token",
  "id_token",
  "client_secret",
  "registration_access_token",
];

/** Those of one table, whoever sent it. */
export function secretsIn(table: object | undefined): readonly string[] {
  const values = SECRET_KEYS.map((key) => (table as Readonly<Record<string, unknown>> | undefined)?.[key]);
  return values.filter((value) => typeof value === "string");
}

/** Those of a login. */
export function secretsOf({ tokens, client }: ServerLogin): readonly string[] {
  return [...secretsIn(tokens), ...secretsIn(client)];
}

/** Those of every login; none of a file that cannot be used, which is said where it is needed. */
export function secretsOfLogins(home: string): readonly string[] {
  try {
    return Object.values(readLogins(home)).flatMap(secretsOf);
  } catch {
    return [];
  }
}

function readLogins(home: string): Readonly<Record<string, ServerLogin>> {
  const path = homePath(home, "serverLogins");
  let value: unknown;
  try {
    value = readJson(path, maxBytes);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return {};
    throw error;
  }
  if (!isTable(value) || value.version !== version || !isTable(value.logins))
    throw new Error(`${path} is damaged: move it away, then log in again with indus mcp login`);
  const logins = Object.entries(value.logins);
  return Object.fromEntries(logins.filter((entry): entry is [string, ServerLogin] => isTable(entry[1])));
}

function keyOf({ root, url }: LoginPlace): string {
  return `${url} ${root}`;
}
