// Models over TLS, through the real command: whom it trusts, and how the person shows who they are, against a server on the
// loopback with a certificate of its own that may demand one.

import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { certificateFile } from "../support/certificates.ts";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { startModelServer } from "../support/model-server.ts";

const at = certificateFile;
const pem = (name: string): string => readFileSync(at(name), "utf8");

interface Scene extends Workplace {
  readonly env: Readonly<Record<string, string>>;
  /** Whose certificates the server was shown, by their names. */
  readonly shown: readonly (string | undefined)[];
}

/** A server behind TLS; `demands`: it takes nobody without a certificate that `ca.pem` vouches for. */
async function scene(demands: boolean): Promise<Scene> {
  const behind = await startModelServer(Array.from({ length: 4 }, () => ({ text: "over TLS" })));
  onTestFinished(() => behind.close());
  const shown: (string | undefined)[] = [];
  const tls = { cert: pem("server.pem"), key: pem("server.key"), ca: pem("ca.pem") };
  const server = createServer(
    { ...tls, requestCert: demands, rejectUnauthorized: demands },
    (request, response) => {
      const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject ?? {};
      shown.push(typeof CN === "string" ? CN : undefined);
      const forward = async (): Promise<void> => {
        const { host: _, ...headers } = request.headers;
        const answer = await fetch(`${behind.url}${request.url}`, {
          method: "POST",
          headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
          body: Buffer.concat(await request.toArray()),
        });
        response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
        response.end(Buffer.from(await answer.arrayBuffer()));
      };
      forward().catch((error: unknown) => response.destroy(error as Error));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "key-of-somebody" };
  return { ...createWorkplace(), env, shown };
}

const ARGS = ["-p", "--model", "anthropic/x", "go"];
const TRUSTED = { NODE_EXTRA_CA_CERTS: at("ca.pem") };

describe("a server whose certificate nobody in the box vouches for", () => {
  it("is asked where NODE_EXTRA_CA_CERTS names who does", async () => {
    const { run, env } = await scene(false);
    expect(await run(ARGS, { env: { ...env, ...TRUSTED } })).toMatchObject({ code: 0, stdout: "over TLS\n" });
  });

  it("is asked where the system's certificates count", LONG_ONLY, async () => {
    const { run, env } = await scene(false);
    const system = { NODE_USE_SYSTEM_CA: "1", SSL_CERT_FILE: at("ca.pem") };
    expect(await run(ARGS, { env: { ...env, ...system } })).toMatchObject({ code: 0, stdout: "over TLS\n" });
  });

  it("is not asked otherwise (the twin), and what to do is said", LONG_ONLY, async () => {
    const { run, env, shown } = await scene(false);
    const { code, stderr } = await run(ARGS, { env });
    expect([code, shown]).toEqual([1, []]);
    expect(stderr).toContain("its certificate was rejected");
    expect(stderr).toContain("NODE_EXTRA_CA_CERTS (a PEM file) and NODE_USE_SYSTEM_CA=1");
  });
});

describe("a server that demands a certificate of the person", () => {
  it.each([
    [
      "with its key in a file",
      { INDUS_CLIENT_CERT_FILE: at("client.pem"), INDUS_CLIENT_KEY_FILE: at("client.key") },
    ],
    [
      "with a key under a password",
      {
        INDUS_CLIENT_CERT_FILE: at("client.pem"),
        INDUS_CLIENT_KEY_FILE: at("client.enc.key"),
        INDUS_CLIENT_KEY_PASSPHRASE: "open-sesame",
      },
    ],
  ])("is shown the one that the environment names, %s", async (_, files) => {
    const { run, env, shown } = await scene(true);
    const end = await run(ARGS, { env: { ...env, ...TRUSTED, ...files } });
    expect([end.code, end.stdout, shown]).toEqual([0, "over TLS\n", ["client"]]);
  });

  it("refuses who has none (the twin) or another, and the variables are named", LONG_ONLY, async () => {
    const { run, env, shown, settings } = await scene(true);
    settings({ localServers: [], retryMinutes: 0 }); // a connection that is reset may be a passing fault
    const none = await run(ARGS, { env: { ...env, ...TRUSTED } });
    expect(none.code).toBe(1);
    const stranger = {
      INDUS_CLIENT_CERT_FILE: at("stranger.pem"),
      INDUS_CLIENT_KEY_FILE: at("stranger.key"),
    };
    const other = await run(ARGS, { env: { ...env, ...TRUSTED, ...stranger } });
    expect([other.code, shown]).toEqual([1, []]);
    for (const { stderr } of [none, other]) expect(stderr).toContain("INDUS_CLIENT_CERT_FILE");
  });

  it.each(
    rows(
      [
        [
          "a file that is not there",
          { INDUS_CLIENT_CERT_FILE: "/no/such.pem" },
          "/no/such.pem set in INDUS_CLIENT_CERT_FILE cannot be read",
        ],
        [
          "another's key",
          { INDUS_CLIENT_CERT_FILE: at("client.pem"), INDUS_CLIENT_KEY_FILE: at("stranger.key") },
          "cannot be used",
        ],
        [
          "a wrong password",
          {
            INDUS_CLIENT_CERT_FILE: at("client.pem"),
            INDUS_CLIENT_KEY_FILE: at("client.enc.key"),
            INDUS_CLIENT_KEY_PASSPHRASE: "wrong",
          },
          "INDUS_CLIENT_KEY_PASSPHRASE",
        ],
        [
          "no PEM",
          { INDUS_CLIENT_CERT_FILE: at("none.pem"), INDUS_CLIENT_KEY_FILE: at("client.key") },
          "expected a PEM certificate",
        ],
      ],
      theFirst,
    ),
  )("%s ends the task before anything is sent, and says what was expected", async (_, files, words) => {
    const { run, env, shown } = await scene(true);
    const { code, stderr } = await run(ARGS, { env: { ...env, ...TRUSTED, ...files } });
    expect([code, shown]).toEqual([1, []]);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain("wrong");
  });
});
