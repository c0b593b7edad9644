// No command gets a variable that holds a known secret, under whatever name: a shell can print any part of a value, and nobody would
// recognise a part. The twin: one that the person shows reaches every command.

import { describe, expect, it, onTestFinished } from "vitest";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import { createSharedWorkplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { startModelServer } from "../support/model-server.ts";
import { lacks } from "../support/needs.ts";

const isConfined = createSandbox().strong() !== undefined;
const SECRET = "Qx7mZ4kWv9Lr2Tn8";

/** Each holds the secret, or all but a little of it. */
const VARIABLES = {
  MY_KEY: SECRET,
  FLEET_CODE: SECRET, // granted to an addon
  ACME_LOGIN: SECRET, // the key of a provider
  COPIED: `user ${SECRET} of ours`,
  ENCODED: Buffer.from(`user:${SECRET}`).toString("base64"),
  STORE: `postgres://app:${SECRET}@db/x`,
} as const;

const ADDON = `// /// indus-addon
// [[capability]]
// kind = "secret"
// id = "FLEET_CODE"
// reason = "x"
// ///
export function register() {}
`;

/** Ways to print a part of a variable. */
const WAYS: readonly ((name: string) => string)[] = [
  (name) => `x=$${name}; echo "\${x#?}" "\${x%?}"`,
  (name) => `printf '%s\\n' "\${${name}#Q}"`,
  (name) =>
    `bash -c 'echo "\${${name}:1}" "\${${name}/Q/}" "\${${name}@Q}"; n=${name}; echo "\${!n}" | rev; cat <<< "\${${name}:2}"'`,
  (name) => `bash -c 'a=("$${name}"); echo "\${a[0]:1:99}"; declare -p ${name}; export -p; set' | rev`,
  () => "env | rev; export -p | rev; set | rev",
  () => "cat /proc/self/environ | tr '\\0' '\\n' | rev",
  (name) => `awk 'BEGIN { print substr(ENVIRON["${name}"], 2) }'`,
];

async function printed(args: readonly string[], shown: readonly string[]): Promise<string> {
  const calls = Object.keys(VARIABLES).flatMap((name) => WAYS.map((way) => way(name)));
  const server = await startModelServer([
    { calls: calls.map((command) => ({ name: "bash", input: { command } })) },
    { text: "Done." },
  ]);
  onTestFinished(() => server.close());
  const place = createSharedWorkplace(server.url);
  place.settings({
    localServers: [],
    unmaskedSecrets: shown,
    providers: [{ id: "acme", wire: "openai", baseUrl: server.url, apiKeyEnv: "ACME_LOGIN" }],
  });
  place.file("holder.ts", ADDON);
  await place.run(
    ["-p", "go", "--model", "anthropic/x", "--addon", "holder.ts", "--grant", "holder", ...args],
    { env: VARIABLES },
  );
  const results = place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : []));
  expect(results).toHaveLength(calls.length);
  return results.join("\n");
}

const PARTS = [SECRET.slice(1, 12), [...SECRET].reverse().join("").slice(1, 12)];

describe.each(
  rows(
    [
      ["outside of the sandbox", ["--permission-mode", "bypass", "--sandbox", "off"], true],
      ["in the sandbox", ["--permission-mode", "auto"], isConfined],
    ],
    theFirst,
  ),
)("a command %s", (_where, args, isThere) => {
  it.skipIf(lacks("Landlock", isThere))("prints no part of a known secret", async () => {
    const text = await printed(args, []);
    for (const part of PARTS) expect(text).not.toContain(part);
  });

  it.skipIf(lacks("Landlock", isThere))(
    "the twin: of one that the person shows it does",
    LONG_ONLY,
    async () => {
      const text = await printed(args, Object.keys(VARIABLES));
      for (const part of PARTS) expect(text).toContain(part);
    },
  );
});
