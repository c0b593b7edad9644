// Requests that are signed with AWS credentials, through the real command; the server computes each signature by itself.

import { createHash, createHmac } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";

const ID = "AKIDINDUSEXAMPLE0001";
const SECRET = "secret/of+the-person-who-asks-0123456789";

/** AWS's four steps, written after its documentation and apart from the code that signs. */
function isSigned(secret: string, path: string, headers: IncomingHttpHeaders, body: string): boolean {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=(\w{64})$/.exec(
      headers.authorization ?? "",
    );
  const [, id, day = "", region = "", service = "", names = "", signature] = found ?? [];
  const hex = (text: string): string => createHash("sha256").update(text).digest("hex");
  const mac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const lines = names
    .split(";")
    .map((name) => `${name}:${String(headers[name])}\n`)
    .join("");
  const canonical = `POST\n${path}\n\n${lines}\n${names}\n${hex(body)}`;
  const time = String(headers["x-amz-date"]);
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/${service}/aws4_request\n${hex(canonical)}`;
  const key = mac(mac(mac(mac(`AWS4${secret}`, day), region), service), "aws4_request");
  const isNow = time.startsWith(day) && /^\d{8}T\d{6}Z$/.test(time);
  return id === ID && isNow && names.includes("host") && mac(key, text).toString("hex") === signature;
}

async function place(
  aws: object = { service: "bedrock-mantle", region: "eu-central-1" },
): Promise<Workplace & { readonly server: ModelServer }> {
  const server = await startModelServer(({ headers, rawBody, path }, index) => {
    if (!isSigned(SECRET, path, headers, rawBody))
      return {
        trouble: {
          kind: "status",
          status: 403,
          message: "The request signature we calculated does not match",
        },
      };
    return index === 0
      ? { calls: [{ name: "bash", input: { command: `echo ${SECRET} é` } }] }
      : { text: `it is ${SECRET}` };
  });
  onTestFinished(() => server.close());
  const made = createSharedWorkplace();
  const own = { wire: "messages", baseUrl: server.url, aws };
  writeFileSync(join(made.home, "models.json"), JSON.stringify({ providers: { own } }));
  return { ...made, server };
}

const profile = (
  home: string,
  file: string,
  text: string,
  env: Record<string, string> = {},
): Record<string, string> => {
  mkdirSync(join(home, ".aws"), { recursive: true });
  writeFileSync(join(home, ".aws", file), text);
  return env;
};
const ARGS = ["-p", "--model", "own/m", "--permission-mode", "bypass", "hello é"];
const KEYS = `aws_access_key_id = ${ID}\naws_secret_access_key=${SECRET}\n`;

it.each<[string, (home: string) => Record<string, string>]>([
  ["the environment", () => ({ AWS_ACCESS_KEY_ID: ID, AWS_SECRET_ACCESS_KEY: SECRET })],
  [
    "the environment, with a session's token",
    () => ({
      AWS_ACCESS_KEY_ID: ID,
      AWS_SECRET_ACCESS_KEY: SECRET,
      AWS_SESSION_TOKEN: "token-of-a-session-1",
    }),
  ],
  [
    "the default profile",
    (home) => profile(home, "credentials", `[other]\naws_access_key_id = x\n[default]\n${KEYS}`),
  ],
  [
    "a named profile of the configuration",
    (home) =>
      profile(home, "config", `# all\n[default]\nregion = x\n[profile  work]\n${KEYS}`, {
        AWS_PROFILE: "work",
      }),
  ],
  [
    "a program that the profile names",
    (home) => {
      const answer = {
        Version: 1,
        AccessKeyId: ID,
        SecretAccessKey: SECRET,
        SessionToken: "token-of-a-session-1",
        Expiration: "2099-01-01T00:00:00Z",
      };
      writeFileSync(join(home, "print.cjs"), `console.log(${JSON.stringify(JSON.stringify(answer))})`);
      profile(
        home,
        "config",
        `[default]\ncredential_process = "${process.execPath}" ${join(home, "print.cjs")}\n`,
      );
      return {};
    },
  ],
])("credentials of %s sign each request, and are masked", async (_, prepare) => {
  const { run, home, server } = await place();
  const { code, stdout, stderr } = await run(ARGS, { env: prepare(home) });
  expect([code, stderr.includes("does not match")]).toEqual([0, false]);
  expect(stdout).toMatch(/^it is \[secret .*\]\n$/);
  expect(server.requests).toHaveLength(2);
  expect(server.requests[1]?.rawBody).not.toContain(SECRET);
  expect(server.requests[0]?.headers["x-api-key"]).toBeUndefined();
});

/** A program of the person's prints what it is asked for; the server takes the token of a session for one request only. */
async function expiringPlace(refusal: string) {
  const server = await startModelServer(({ headers }, index) => {
    const token = headers["x-amz-security-token"];
    if (token !== (index === 0 ? "token-of-session-1" : "token-of-session-2"))
      return { trouble: { kind: "status", status: 403, message: refusal } };
    return index === 0 ? { calls: [{ name: "ls", input: {} }] } : { text: "done" };
  });
  onTestFinished(() => server.close());
  const made = createSharedWorkplace();
  const own = {
    ...{ wire: "messages", baseUrl: server.url },
    aws: { service: "bedrock-mantle", region: "eu-central-1" },
  };
  writeFileSync(join(made.home, "models.json"), JSON.stringify({ providers: { own } }));
  const runs = join(made.home, "runs");
  const program = `
    require("node:fs").appendFileSync(${JSON.stringify(runs)}, "x");
    const SessionToken = "token-of-session-" + require("node:fs").readFileSync(${JSON.stringify(runs)}).length;
    const Expiration = "2099-01-01T00:00:00Z";
    console.log(JSON.stringify({ Version: 1, AccessKeyId: "${ID}", SecretAccessKey: "${SECRET}", SessionToken, Expiration }));`;
  const file = join(made.home, "print.cjs");
  writeFileSync(file, program);
  profile(made.home, "config", `[default]\ncredential_process = "${process.execPath}" ${file}\n`);
  const tokens = (): readonly unknown[] =>
    server.requests.map(({ headers }) => headers["x-amz-security-token"]);
  return { ...made, tokens };
}

it("credentials that are refused as expired before their time are fetched anew, once", async () => {
  const { run, tokens } = await expiringPlace("The security token included in the request is expired");
  const end = await run(ARGS);
  expect([end.code, end.stdout]).toEqual([0, "done\n"]);
  expect(tokens()).toEqual(["token-of-session-1", "token-of-session-1", "token-of-session-2"]);
});

it("the twin: who may not do something is asked for no other credentials", async () => {
  const { run, tokens } = await expiringPlace("User: robot is not authorized to perform: InvokeModel");
  expect((await run(ARGS)).code).toBe(1);
  expect(tokens()).toEqual(["token-of-session-1", "token-of-session-1"]);
});

it("the region may be the environment's, and without one that is said", async () => {
  const { run, server } = await place({ service: "bedrock" });
  const env = { AWS_ACCESS_KEY_ID: ID, AWS_SECRET_ACCESS_KEY: SECRET };
  expect((await run(ARGS, { env })).stderr).toContain("Set AWS_REGION in the environment");
  expect((await run(ARGS, { env: { ...env, AWS_DEFAULT_REGION: "us-west-2" } })).code).toBe(0);
  expect(server.requests[0]?.headers.authorization).toContain("/us-west-2/bedrock/aws4_request");
});

it("the twin: another secret is refused, and none at all is said with what to do", async () => {
  const { run, server } = await place();
  const wrong = await run(ARGS, {
    env: { AWS_ACCESS_KEY_ID: ID, AWS_SECRET_ACCESS_KEY: "another-secret-123456" },
  });
  expect([wrong.code === 0, server.requests.length]).toEqual([false, 1]);
  const none = await run(ARGS);
  expect(none.stderr).toContain('nor the profile "default" in');
  expect(none.stderr).toContain("credential_process");
  expect(server.requests).toHaveLength(1);
});
