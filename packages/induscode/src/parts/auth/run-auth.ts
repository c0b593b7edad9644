// `indus auth`: which providers have a key and where it comes from, and keys stored in the home. A key is never an argument, which other
// programs on the machine could read, and is never shown in full.

import { isoNow, nearest, printable } from "indusagi/core";
import { type ProviderConfig, startBrowserLogin } from "indusagi/llmgateway";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { readStoredKeys, storeKey } from "../../settings/stored-keys.ts";
import { indusHome } from "../../store/home.ts";
import { type KeyPlaces, keyTable, masked, providersWithKeys } from "./key-table.ts";
import { readSecretLine } from "./secret-line.ts";

export async function runAuth(line: Invocation<{ readonly file?: boolean | undefined }>): Promise<number> {
  const { words, env, flags } = line;
  const [, action, id] = words;
  const home = indusHome(env);
  const { settings } = await loadSettings(home, workingDirectory(line), line.parts);
  const providers = providersWithKeys(settings);
  if (id === undefined) {
    process.stdout.write(`${keyTable(providers, { home, env })}\n`);
    return EXIT_OK;
  }
  const provider = providers.find((each) => each.id === id);
  if (!provider) {
    const ids = providers.map((each) => each.id);
    const near = nearest(id, ids);
    const hint = near === undefined ? `; expected one of ${ids.join(", ")}` : `; did you mean ${near}?`;
    throw new Problem(`"${id}" is not a provider that takes a key${hint}`, EXIT_USAGE);
  }
  return action === "login"
    ? login(provider, { home, env }, flags.file === true)
    : logout({ home, env }, provider, providers);
}

async function login(
  provider: ProviderConfig,
  { home, env }: KeyPlaces,
  isForFile: boolean,
): Promise<number> {
  const { id, apiKeyEnv = "", browserLogin } = provider;
  const before = readStoredKeys(home)[apiKeyEnv]; // throws here if the file cannot be used
  const whose = `for ${id} (${apiKeyEnv}), not shown: `;
  const isFromBrowser = browserLogin === true && process.stdin.isTTY === true;
  const given = isFromBrowser
    ? keyFromBrowser(provider, `Or a key ${whose}`)
    : readSecretLine(`Key ${whose}`);
  const key = (await given).trim();
  if (!/^[\x21-\x7e]{8,4096}$/.test(key)) {
    process.stderr.write(
      "indus: that is not a valid key: expected at least 8 printable characters without spaces\n",
    );
    return EXIT_FAULT;
  }
  const at = isoNow();
  const place = { home, variable: apiKeyEnv, env };
  const { keepInKeyring, clearFromKeyring } = await import("../../settings/keyring.ts");
  const why = isForFile ? "" : await keepInKeyring(place, key);
  await storeKey(home, apiKeyEnv, why === undefined ? { at } : { key, at });
  if (why !== undefined && before && before.key === undefined) await clearFromKeyring(place);
  const isAbsent = why?.includes("no program of that name");
  const where =
    why === undefined ? " in the keyring" : why === "" || isAbsent ? "" : ` in a file: the keyring ${why}`;
  const shadow = env[apiKeyEnv]?.trim()
    ? ` ${apiKeyEnv} is set in the environment, and takes precedence.`
    : "";
  process.stdout.write(`Stored ${masked(key)} for ${id}${where}.${shadow}\n`);
  return EXIT_OK;
}

async function logout(
  { home, env }: KeyPlaces,
  { id, apiKeyEnv = "" }: ProviderConfig,
  providers: readonly ProviderConfig[],
): Promise<number> {
  const sharing = providers.filter((each) => each.apiKeyEnv === apiKeyEnv && each.id !== id);
  const stored = readStoredKeys(home)[apiKeyEnv];
  if (stored === undefined) {
    process.stderr.write(`indus: no key is stored for ${id}\n`);
    return EXIT_FAULT;
  }
  const { clearFromKeyring } = await import("../../settings/keyring.ts");
  const why =
    stored.key === undefined ? await clearFromKeyring({ home, variable: apiKeyEnv, env }) : undefined;
  if (why !== undefined) {
    process.stderr.write(
      printable(
        `indus: the key for ${id} could not be removed from the keyring: the keyring program ${why}\n`,
      ),
    );
    return EXIT_FAULT;
  }
  await storeKey(home, apiKeyEnv, undefined);
  const names = sharing.map((each) => each.id).join(", ");
  const others = names === "" ? "" : ` The same key, ${apiKeyEnv}, is also removed for ${names}.`;
  process.stdout.write(
    `Removed the stored key for ${id}.${others} The key is still valid at the provider until you revoke it there.\n`,
  );
  return EXIT_OK;
}

/** A key that the person types, or that a login in their browser provides: whichever comes first. */
async function keyFromBrowser({ id, baseUrl = "" }: ProviderConfig, question: string): Promise<string> {
  let isTold = false;
  const begun = await startBrowserLogin({
    baseUrl,
    onRefused: (what) => {
      if (!isTold) process.stderr.write(`\r\nindus: ${what} came to the login's port, and was refused\r\n`);
      isTold = true;
    },
  });
  try {
    process.stderr.write(
      `To log in, open this address in your browser:\n\n  ${begun.url}\n\nIf your browser runs on another machine, it will end at an address that it cannot open. Copy that address and paste it here.\n`,
    );
    const typed = readSecretLine(question);
    const first = await Promise.race([typed, begun.answer]);
    process.stdin.destroy(); // whatever still reads there stops, and gives the terminal back
    await typed.catch(() => undefined);
    const isAddress = typeof first === "string" && /^\s*https?:/.test(first);
    if (typeof first === "string" && !isAddress) return first;
    if (isAddress && !begun.take(first.trim()))
      throw new Problem(
        `that address does not belong to this login at ${id}; nothing was stored`,
        EXIT_USAGE,
      );
    const answer = await begun.answer;
    if (answer.ok) return answer.key;
    throw new Problem(`the login at ${id} failed: ${printable(answer.why)}; nothing was stored`, EXIT_FAULT);
  } finally {
    begun.close();
  }
}
