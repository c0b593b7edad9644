// The official suite for clients of MCP, played against the command: each scenario is a server that indus adds, logs in at where it wants a
// login, and calls. What is known to fail is listed by its check, with the reason; a check that fails or holds unexpectedly ends the test.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runtimeNode } from "../../scripts/setup.mjs";
import type { Finished } from "../support/indus.ts";
import { freshFolder, registryProblem, shellLine } from "../support/installed.ts";
import { logIn } from "../support/log-in.ts";
import { isLong } from "../support/long-form.ts";
import { lacksLevel } from "../support/needs.ts";
import { createServedWorkplace } from "../support/served-workplace.ts";
import { sandboxAt } from "../support/test-levels.ts";

const hasBubblewrap = sandboxAt("bubblewrap").strong() !== undefined;
/** With a registry that is far away. */
const INSTALL_MS = 400_000;
const SUITE = "@modelcontextprotocol/conformance@0.1.16";

interface Scenario {
  readonly input?: object;
  readonly isLogin?: true;
  /** The checks that fail. */
  readonly fails?: readonly string[];
}

const LOGIN = { isLogin: true } as const;

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  initialize: {},
  tools_call: { input: { a: 5, b: 3 } },
  "sse-retry": {},
  // Nobody is there to answer: with `-p` a question is left (tests/e2e/mcp-questions has those that are answered).
  "elicitation-sep1034-client-defaults": {
    fails: [
      "general",
      ...["string", "integer", "number", "enum", "boolean"].map((type) => `${type}-default`),
    ].map((what) => `client-elicitation-sep1034-${what}`),
  },
  "auth/metadata-default": LOGIN,
  "auth/metadata-var1": LOGIN,
  "auth/metadata-var2": LOGIN,
  "auth/metadata-var3": LOGIN,
  "auth/basic-cimd": LOGIN,
  "auth/scope-from-www-authenticate": LOGIN,
  "auth/scope-from-scopes-supported": LOGIN,
  "auth/scope-omitted-when-undefined": LOGIN,
  // A wider login is the person's to begin.
  "auth/scope-step-up": { ...LOGIN, fails: ["scope-step-up-escalation"] },
  "auth/scope-retry-limit": LOGIN,
  "auth/token-endpoint-auth-basic": LOGIN,
  "auth/token-endpoint-auth-post": LOGIN,
  "auth/token-endpoint-auth-none": LOGIN,
  // There is nowhere to say which client the person registered by hand.
  "auth/pre-registration": { ...LOGIN, fails: ["pre-registration-auth"] },
  // Its metadata names another issuer than the one that was asked, which RFC 8414 forbids, and the library refuses.
  "auth/2025-03-26-oauth-metadata-backcompat": {
    ...LOGIN,
    fails: ["client-registration", "authorization-request", "token-request"],
  },
  "auth/2025-03-26-oauth-endpoint-fallback": LOGIN,
  "auth/resource-mismatch": LOGIN,
  "auth/offline-access-scope": LOGIN,
  "auth/offline-access-not-supported": LOGIN,
};

let suite = "";
let missing: string | undefined;

interface Offered {
  readonly tools?: readonly { readonly name: string }[];
}

/** All that a person does with a server of the suite. Returns what `indus` said, for a scenario that fails. */
async function use(url: string, { input = {}, isLogin }: Scenario): Promise<string> {
  const place = await createServedWorkplace(({ body }, at) => {
    const tool = (body as Offered).tools?.find(({ name }) => name.startsWith("mcp__server__"));
    return at === 0 && tool ? { text: "On it.", calls: [{ name: tool.name, input }] } : { text: "Done." };
  });
  const said: Finished[] = [];
  said.push(await place.runAlone(["add", url, "--name", "server", "--ask", "--yes"]));
  if (isLogin) said.push(await logIn(place, "server"));
  const flags = ["--model", "anthropic/scripted", "--permission-mode", "bypass"];
  said.push(await place.runAlone(["-p", "go", ...flags]));
  return JSON.stringify([said, place.entries().filter(({ type }) => type === "tool")], undefined, 1);
}

/** A program that the suite starts, and what it says of a server's address it says to `work`. */
async function clientThat(work: (url: string) => Promise<string>): Promise<string> {
  const bridge = createServer((request, answer) => {
    const url = new URL(request.url ?? "", "http://localhost").searchParams.get("server") ?? "";
    void work(url).then(
      (text) => answer.end(text),
      (error: unknown) => answer.end(String(error)),
    );
  });
  await new Promise<void>((resolve) => bridge.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void bridge.close());
  const program = join(freshFolder("client"), "client.mjs");
  const { port } = bridge.address() as AddressInfo;
  writeFileSync(
    program,
    `const said = await fetch("http://127.0.0.1:${port}/?server=" + encodeURIComponent(process.argv.at(-1)));\nconsole.log(await said.text());\n`,
  );
  return `${runtimeNode()} ${program}`;
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

describe.skipIf(!isLong || lacksLevel("bubblewrap", hasBubblewrap))("the suite for clients of MCP", () => {
  beforeAll(async () => {
    suite = freshFolder("conformance");
    const install = `npm install --ignore-scripts --no-audit --no-fund --fetch-retries=1 --prefix . ${SUITE}`;
    const installed = await shellLine(install, suite);
    missing = registryProblem(installed);
    if (missing === undefined) expect(installed).toMatchObject({ ok: true });
  }, INSTALL_MS);

  it.for(Object.entries(SCENARIOS))("%s", { timeout: INSTALL_MS }, async ([name, scenario], context) => {
    if (missing !== undefined) context.skip(missing);
    const out = freshFolder("verdicts");
    const client = await clientThat((url) => use(url, scenario));
    const command = `${runtimeNode()} node_modules/.bin/conformance client --verbose --scenario ${name} --timeout 120000 -o ${out} --command "${client}"`;
    const played = await shellLine(command, suite);
    const file = readdirSync(out, { recursive: true, encoding: "utf8" }).find((each) =>
      each.endsWith("checks.json"),
    );
    const checks: readonly Check[] =
      file === undefined ? [] : JSON.parse(readFileSync(join(out, file), "utf8"));
    const failed = checks.filter(({ status }) => status === "FAILURE").map(({ id }) => id);
    expect(file === undefined ? played : [...new Set(failed)]).toEqual(scenario.fails ?? []);
  });
});
