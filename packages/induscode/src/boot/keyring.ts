// The keyring of the person's desktop, by the program that it comes with: `secret-tool` of libsecret, `security` of macOS. A key
// goes to it over standard input, never as an argument, and comes back as any key that a command prints. What is kept is held apart
// by the home and the variable that it stands for.

import type { Printed } from "indusagi/llmgateway";
import { runKeyCommand } from "./run-key-command.ts";

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
  // Its own words for quotes are few: a line of its standard input holds the account in quotes and the key in hexadecimal.
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
    ...(input === undefined ? {} : { input }),
    ...(maxMs ? { maxMs } : {}),
  });

/** The program, with its arguments, that prints a key which the keyring holds. */
export function keyringCommand(place: Place): readonly string[] {
  return programOn().read(place);
}

/** Has the keyring hold `key`, and looks whether it does. Answers why not, as the end of a sentence about its program. */
export async function keepInKeyring(facts: KeyringFacts, key: string): Promise<string | undefined> {
  const { read, write } = programOn(facts.platform);
  const [words, input] = write(facts, key);
  const stored = await run(words, facts, input);
  if (!stored.ok) return `(${words[0]}) ${stored.why}`;
  const back = await run(read(facts), facts);
  if (!back.ok) return `(${words[0]}) ${back.why}`;
  return back.text.trim() === key ? undefined : `(${words[0]}) gives back something else than it was given`;
}

/** Has the keyring forget a key. Answers why it did not. */
export async function clearFromKeyring(facts: KeyringFacts): Promise<string | undefined> {
  const words = programOn(facts.platform).clear(facts);
  const cleared = await run(words, facts);
  return cleared.ok ? undefined : `(${words[0]}) ${cleared.why}`;
}
