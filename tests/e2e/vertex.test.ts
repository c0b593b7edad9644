// Gemini and Claude on Google Cloud, through the real command: a service account's key signs an assertion that a token server on
// the loopback verifies, a login's token is refreshed there, a command prints one; the strict server lets in nothing else.

import { createVerify, generateKeyPairSync } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { type StrictServer, startStrictServer } from "../support/strict/server.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const EMAIL = "robot@project.iam.example";
const PROJECT = "/v1/projects/my-project/locations/europe-west4/publishers";

interface TokenServer {
  readonly url: string;
  readonly asked: readonly URLSearchParams[];
}

/** Gives out `token-1`, `token-2` …, each for `seconds`, to whom RFC 7523 and RFC 6749 say. */
async function startTokenServer(seconds = 3600): Promise<TokenServer> {
  const asked: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const form = new URLSearchParams(Buffer.concat(chunks as Buffer[]).toString("utf8"));
      asked.push(form);
      const isGood =
        form.get("grant_type") === "refresh_token"
          ? form.get("refresh_token") === "refresh-token-7f21" &&
            form.get("client_secret") === "client-secret-1"
          : isAssertion(form.get("assertion") ?? "", `${url}/token`);
      response.writeHead(isGood ? 200 : 400, { "content-type": "application/json" });
      const answer = isGood
        ? { access_token: `google-token-${asked.length}`, expires_in: seconds, token_type: "Bearer" }
        : { error: "invalid_grant", error_description: `Bad: ${form.get("refresh_token")}` };
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${url}/token`, asked };
}

function isAssertion(assertion: string, audience: string): boolean {
  const [header = "", claims = "", signature = ""] = assertion.split(".");
  const read = (part: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as Record<string, unknown>;
  const { iss, aud, scope, iat, exp } = read(claims);
  return (
    createVerify("RSA-SHA256").update(`${header}.${claims}`).verify(publicKey, signature, "base64url") &&
    read(header).alg === "RS256" &&
    read(header).kid === "key-1" &&
    iss === EMAIL &&
    aud === audience &&
    scope === "https://www.googleapis.com/auth/cloud-platform" &&
    Number(exp) - Number(iat) <= 3600 &&
    Math.abs(Number(iat) - Date.now() / 1000) < 300
  );
}

const serviceAccount = (tokenUrl: string, more: object = {}): string =>
  JSON.stringify({
    type: "service_account",
    client_email: EMAIL,
    private_key: privateKey,
    private_key_id: "key-1",
    token_uri: tokenUrl,
    ...more,
  });
const login = (tokenUrl: string, more: object = {}): string =>
  JSON.stringify({
    type: "authorized_user",
    client_id: "client-1",
    client_secret: "client-secret-1",
    refresh_token: "refresh-token-7f21",
    quota_project_id: "quota-project",
    token_uri: tokenUrl,
    ...more,
  });

interface Scene extends Workplace {
  readonly server: StrictServer;
  readonly env: Readonly<Record<string, string>>;
}

async function scene(takes: (token: string) => boolean = () => true): Promise<Scene> {
  const server = await startStrictServer(
    (at) =>
      at % 2 === 0
        ? { thinking: "I look.", calls: [{ name: "ls", input: {} }] }
        : { thinking: "Done.", text: "it is google-token-1" },
    ({ authorization = "", ...headers }) =>
      /^Bearer (google-token-\d|printed-token-1)$/.test(authorization) &&
      takes(authorization) &&
      headers["x-api-key"] === undefined &&
      headers["x-goog-api-key"] === undefined,
  );
  onTestFinished(() => server.close());
  const env = {
    GOOGLE_CLOUD_PROJECT: "my-project",
    GOOGLE_CLOUD_LOCATION: "europe-west4",
    GOOGLE_VERTEX_BASE_URL: `${server.url}${PROJECT}/google`,
    ANTHROPIC_VERTEX_BASE_URL: `${server.url}${PROJECT}/anthropic`,
  };
  return { ...createSharedWorkplace(), server, env };
}

const MODELS = [
  [
    "vertex/gemini-3.1-pro-preview",
    `${PROJECT}/google/models/gemini-3.1-pro-preview:streamGenerateContent?alt=sse`,
  ],
  ["vertex-anthropic/claude-opus-5-5", `${PROJECT}/anthropic/models/claude-opus-5-5:streamRawPredict`],
  [
    "vertex-anthropic/claude-haiku-4-5@20251001",
    `${PROJECT}/anthropic/models/claude-haiku-4-5@20251001:streamRawPredict`,
  ],
] as const;

describe.each(rows(MODELS, theFirst))("%s", (model, path) => {
  const args = ["-p", "--model", model, "--thinking", "high", "look"];

  it("is asked with a token that the service account's key signed for, once for a session, and it is masked", async () => {
    const { run, server, env, home, logs } = await scene();
    const tokens = await startTokenServer();
    const file = join(home, "robot.json");
    writeFileSync(file, serviceAccount(tokens.url));
    const end = await run(args, { env: { ...env, GOOGLE_APPLICATION_CREDENTIALS: file } });
    expect([end.code, end.stderr, server.refusals]).toEqual([0, expect.any(String), []]);
    expect(end.stdout).toMatch(/^it is \[secret .*\]\n$/);
    expect(server.paths).toEqual([path, path]);
    expect(tokens.asked).toHaveLength(1);
    expect(readFileSync(logs()[0] ?? "", "utf8")).not.toContain("google-token-1");
  });

  it("is asked with the token of a login, refreshed a minute before it runs out", async () => {
    const { run, server, env, home } = await scene();
    const tokens = await startTokenServer(30);
    mkdirSync(join(home, ".config", "gcloud"), { recursive: true });
    writeFileSync(join(home, ".config/gcloud/application_default_credentials.json"), login(tokens.url));
    const end = await run(args, { env });
    expect([end.code, server.refusals]).toEqual([0, []]);
    expect(server.headers.map((headers) => [headers.authorization, headers["x-goog-user-project"]])).toEqual([
      ["Bearer google-token-1", "quota-project"],
      ["Bearer google-token-2", "quota-project"],
    ]);
  });

  it(
    "is asked with a new token when one is refused before it runs out, and only once",
    LONG_ONLY,
    async () => {
      const taken: string[] = [];
      const { run, server, env, home } = await scene((token) => {
        taken.push(token);
        return token !== "Bearer google-token-1" || taken.length === 1;
      });
      const tokens = await startTokenServer();
      const file = join(home, "robot.json");
      writeFileSync(file, serviceAccount(tokens.url));
      const end = await run(args, { env: { ...env, GOOGLE_APPLICATION_CREDENTIALS: file } });
      expect([end.code, tokens.asked.length]).toEqual([0, 2]);
      expect(taken.map((token) => token.slice(-1))).toEqual(["1", "1", "2"]);

      const never = await scene(() => false);
      await never.run(args, { env: { ...never.env, GOOGLE_APPLICATION_CREDENTIALS: file } });
      expect(tokens.asked).toHaveLength(3); // a fresh one that is refused is wrong
      expect(server.paths).toEqual([path, path]);
    },
  );

  it("is asked with a token that a command prints", LONG_ONLY, async () => {
    const { run, server, home } = await scene();
    const [provider = ""] = model.split("/");
    const own = {
      wire: provider === "vertex" ? "gemini" : "messages",
      baseUrl: `${server.url}${PROJECT}/${provider === "vertex" ? "google" : "anthropic"}`,
      google: true,
      apiKey: { command: [process.execPath, "-e", 'console.log("printed-token-1")'] },
    };
    writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { own } }));
    const end = await run(["-p", "--model", model.replace(provider, "own"), "look"]);
    expect([end.code, server.refusals]).toEqual([0, []]);
    expect(server.headers[0]?.authorization).toBe("Bearer printed-token-1");
  });
});

it.each<[string, (url: string) => string | undefined, readonly string[]]>([
  [
    "no file",
    () => undefined,
    ["No credentials for vertex", "gcloud auth application-default login creates it"],
  ],
  ["a file that is not JSON", () => "{ private_key: x", ["robot.json cannot be read: it is not JSON"]],
  [
    "a file of another kind",
    () => JSON.stringify({ type: "external_account" }),
    ['has credentials of type "external_account"', "gcloud"],
  ],
  [
    "a file that lacks its key",
    (url) => serviceAccount(url, { private_key: "" }),
    ["robot.json is missing private_key: download the file again"],
  ],
  ["a damaged key", (url) => serviceAccount(url, { private_key: "no key" }), ["cannot sign"]],
  [
    "an address that is not https",
    () => serviceAccount("http://tokens.invalid/token"),
    ["its token URL is not an https URL"],
  ],
  [
    "a login that ended",
    (url) => login(url, { refresh_token: "ended-token-11" }),
    ["answered 400 (invalid_grant: Bad: …)", "run gcloud auth application-default login"],
  ],
])("%s ends the task and says what to do", async (_, file, words) => {
  const { run, server, env, home } = await scene();
  const tokens = await startTokenServer();
  const path = join(home, "robot.json");
  const text = file(tokens.url);
  if (text !== undefined) writeFileSync(path, text);
  const named: Record<string, string> = text === undefined ? {} : { GOOGLE_APPLICATION_CREDENTIALS: path };
  const end = await run(["-p", "--model", "vertex/gemini-3.1-pro-preview", "look"], {
    env: { ...env, ...named },
  });
  expect(end.code).toBe(1);
  for (const each of words) expect(end.stderr).toContain(each);
  expect(server.paths).toEqual([]);
});

it("the project and the place are named where they are missing; the twin: without a token the server lets nobody in", async () => {
  const { run, server, env } = await scene();
  const args = ["-p", "--model", "vertex/gemini-3.1-pro-preview", "look"];
  expect((await run(args)).stderr).toContain("Set GOOGLE_CLOUD_LOCATION in the environment");
  expect((await run(args, { env: { GOOGLE_CLOUD_LOCATION: "global" } })).stderr).toContain(
    "Set GOOGLE_CLOUD_PROJECT in the environment",
  );
  const plain = await run(["-p", "--model", "google/gemini-3.1-pro-preview", "look"], {
    env: { ...env, GEMINI_API_KEY: "key-of-google-1" },
  });
  expect([plain.code === 0, server.paths]).toEqual([false, []]);
});
