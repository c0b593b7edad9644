// The keyring of the person's desktop, through the program that comes with it: `secret-tool` of libsecret, `security` of macOS. A key is
// passed over standard input, never as an argument, and read like any key that a command prints. Entries are kept apart by home and by
// the variable that they stand for.

import type { Printed } from "indusagi/llmgateway";
import { runKeyCommand } from "./key-command.ts";

export interface KeyringFacts {
  /** The product's home folder. */
  readonly home: string;
  /** The variable that the key stands for. */
  readonly variable: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
  readonly maxMs?: number;
}

type Place = Pick<KeyringFacts, "home" | "variable">;

interface Program {
  readonly read: (place: Place) => readonly string[];
  readonly write: (place: Place, key: string) => readonly [words: readonly string[], input: string];
  readonly clear: (place: Place) => readonly string[];
}

const SERVICE = "indus";
const attributes = ({ home, variable }: Place): readonly string[] => [
  "service",
  SERVICE,
  "home",
  home,
  "variable",
  variable,
];
const account = ({ home, variable }: Place): readonly string[] => [
  "-s",
  SERVICE,
  "-a",
  `${variable} ${home}`,
];

const SECRET_TOOL: Program = {
  read: (place) => ["secret-tool", "lookup", ...attributes(place)],
  write: (place, key) => [
    ["secret-tool", "store", `--label=indus: ${place.variable}`, ...attributes(place)],
    key,
  ],
  clear: (place) => ["secret-tool", "clear", ...attributes(place)],
};
const SECURITY: Program = {
  read: (place) => ["security", "find-generic-password", ...account(place), "-w"],
  // Its own quoting is limited: one line on standard input has the account in quotes and the key in hexadecimal.
  write: ({ home, variable }, key) => [
    ["security", "-i"],
    `add-generic-password -U -s ${SERVICE} -a ${JSON.stringify(`${variable} ${home}`)} -X ${Buffer.from(key).toString("hex")}\n`,
  ],
  clear: (place) => ["security", "delete-generic-password", ...account(place)],
};
const programOn = (platform: NodeJS.Platform = process.platform): Program =>
  platform === "darwin" ? SECURITY : SECRET_TOOL;

const NEVER = new AbortController().signal;

const run = (words: readonly string[], { env, maxMs }: KeyringFacts, input?: string): Promise<Printed> =>
  runKeyCommand(words, env, NEVER, {
    input,
    maxMs: maxMs || undefined,
  });

/** The program and arguments that print a key from the keyring. */
export function keyringCommand(place: Place): readonly string[] {
  return programOn().read(place);
}

/** Stores `key` in the keyring and verifies that it is there. Returns why not, as the end of a sentence about its program. */
export async function keepInKeyring(facts: KeyringFacts, key: string): Promise<string | undefined> {
  const { read, write } = programOn(facts.platform);
  const [words, input] = write(facts, key);
  const stored = await run(words, facts, input);
  if (!stored.ok) return `(${words[0]}) ${stored.why}`;
  const back = await run(read(facts), facts);
  if (!back.ok) return `(${words[0]}) ${back.why}`;
  return back.text.trim() === key ? undefined : `(${words[0]}) returned a different key from the stored key`;
}

/** Removes a key from the keyring. Returns why that failed. */
export async function clearFromKeyring(facts: KeyringFacts): Promise<string | undefined> {
  const words = programOn(facts.platform).clear(facts);
  const cleared = await run(words, facts);
  return cleared.ok ? undefined : `(${words[0]}) ${cleared.why}`;
}
