// Logging in at an MCP server over HTTP, through the real command, at an authorization server of this machine: the host logs in and renews,
// the server's process gets the access token alone, and nobody reads either.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandWithout } from "../support/guard-off.ts";
import { logIn } from "../support/log-in.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { lacksLevel } from "../support/needs.ts";
import { type OAuthServer, startOAuthServer } from "../support/oauth-server.ts";
import { createServedWorkplace, type ServedWorkplace } from "../support/served-workplace.ts";
import { sandboxAt } from "../support/test-levels.ts";

const hasBubblewrap = sandboxAt("bubblewrap").strong() !== undefined;
const FLAGS = ["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "far"];

async function placeOf(
  server: OAuthServer,
  options?: Parameters<typeof createServedWorkplace>[1],
): Promise<ServedWorkplace> {
  const place = await createServedWorkplace(
    (_, at) =>
      at % 2 === 0 ? { text: "On it.", calls: [{ name: "mcp__far__whoami", input: {} }] } : { text: "Done." },
    options,
  );
  place.file(
    ".indus/addons/far/manifest.toml",
    `id = "far"\n[run]\nmcp-url = "${server.url}/mcp"\n[[capability]]\nkind = "network"\npurpose = "x"\nhosts = ["127.0.0.1:${server.port}"]\nreason = "x"\n`,
  );
  return place;
}

const outcomes = (place: ServedWorkplace): readonly string[] =>
  place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : []));

describe.skipIf(lacksLevel("bubblewrap", hasBubblewrap))("a login", () => {
  it("finds the authorization server, registers, proves itself, and is used by the server's process", async () => {
    const server = await startOAuthServer();
    const place = await placeOf(server);
    const before = await place.run(["mcp", "test", "far"]);
    expect(before.stdout).toContain("the server wants a login: indus mcp login far");
    expect(await logIn(place, "far")).toMatchObject({ code: 0, stderr: "" });
    expect(server.asked).toEqual(["register", "authorize", "token authorization_code"]);
    await place.run(FLAGS);
    expect(outcomes(place)).toEqual(["in as Bearer [secret INDUS_SERVER_LOGIN]"]);
    expect(statSync(join(place.home, "server-logins.json")).mode & 0o777).toBe(0o600);
    const log = readFileSync(place.logs().at(-1) ?? "", "utf8");
    for (const secret of server.given) expect(log).not.toContain(secret);
    const out = await place.run(["mcp", "logout", "far"]);
    expect([out.code, out.stdout]).toEqual([0, expect.stringContaining("Removed the login of far")]);
    expect((await place.run(["mcp", "logout", "far"])).code).toBe(1);
  });

  it("is renewed before it ends, and one that cannot be renewed is said", async () => {
    const server = await startOAuthServer();
    server.set({ seconds: 1 });
    const place = await placeOf(server);
    await logIn(place, "far");
    await place.run(FLAGS);
    expect(server.asked.filter((what) => what === "token refresh_token").length).toBeGreaterThan(0);
    expect(outcomes(place)).toEqual(["in as Bearer [secret INDUS_SERVER_LOGIN]"]);
    server.set({ forgets: true });
    await place.run(FLAGS);
    expect(outcomes(place)[0]).toContain("login");
    expect(readFileSync(join(place.home, "logs/addons/far.log"), "utf8")).toContain(
      "its login could not be renewed",
    );
  });

  it("of another place with the same address is not handed on", async () => {
    const server = await startOAuthServer();
    const place = await placeOf(server);
    await logIn(place, "far");
    const manifest = readFileSync(join(place.cwd, ".indus/addons/far/manifest.toml"), "utf8");
    place.file(".indus/addons/twin/manifest.toml", manifest.replace('id = "far"', 'id = "twin"'));
    expect((await place.run(["mcp", "test", "twin"])).stdout).toContain("the server wants a login");
  });
});

describe.skipIf(lacksLevel("bubblewrap", hasBubblewrap))("what a token endpoint says", () => {
  const described = (text: string): string =>
    JSON.stringify({ error: "invalid_grant", error_description: text });
  const values = (form: URLSearchParams): string => [...form.values()].join(" ");

  it.each(
    rows(
      [
        [
          "the request in its error",
          (form: URLSearchParams) => ({ status: 400, text: described(values(form)) }),
        ],
        [
          "the request in what is no JSON",
          (form: URLSearchParams) => ({ status: 500, text: `no: ${values(form)}` }),
        ],
        [
          "tokens in an error",
          (_: URLSearchParams, would?: object) => ({
            status: 400,
            text: JSON.stringify({
              ...would,
              error: "invalid_grant",
              error_description: JSON.stringify(would),
            }),
          }),
        ],
      ] as const,
      theFirst,
    ),
  )("shows no secret, with %s", async (_, says) => {
    const server = await startOAuthServer();
    server.set({ seconds: 1 });
    const place = await placeOf(server);
    await logIn(place, "far");
    server.set({ says });
    const run = await place.run(FLAGS);
    const log = readFileSync(join(place.home, "logs/addons/far.log"), "utf8");
    expect(log).toContain("its login could not be renewed");
    const again = await logIn(place, "far");
    expect(again.code).toBe(1);
    const said = `${run.stdout}${run.stderr}${log}${again.stdout}${again.stderr}${readFileSync(place.logs().at(-1) ?? "", "utf8")}`;
    for (const secret of server.given) expect(said).not.toContain(secret);
  });

  it("twin: without the guard the refresh token is in the log", LONG_ONLY, async () => {
    const command = commandWithout([
      {
        file: "addons/kinds/server-login.ts",
        guard: "for (const secret of secretsOf(login ?? {})) hide(secret);",
        instead: "",
      },
      {
        file: "addons/kinds/server-login.ts",
        guard: "for (const secret of sentIn(init?.body)) hide(secret);",
        instead: "",
      },
      {
        file: "session/kept-secrets.ts",
        guard: "secrets.add(LOGIN_VARIABLE, secret)",
        instead: "[secrets, secret]",
      },
    ]);
    const server = await startOAuthServer();
    server.set({ seconds: 1 });
    const place = await placeOf(server, { command });
    await logIn(place, "far");
    server.set({ says: (form) => ({ status: 400, text: described(values(form)) }) });
    await place.run(FLAGS);
    const log = readFileSync(join(place.home, "logs/addons/far.log"), "utf8");
    expect(server.given.some((secret) => log.includes(secret))).toBe(true);
  });
});

describe("a new login", () => {
  const kept = ({ home }: ServedWorkplace): string => readFileSync(join(home, "server-logins.json"), "utf8");

  it("that fails keeps the one before", async () => {
    const server = await startOAuthServer();
    const place = await placeOf(server);
    expect((await logIn(place, "far")).code).toBe(0);
    const before = kept(place);
    server.set({ says: () => ({ status: 400, text: '{"error":"invalid_grant"}' }) });
    expect((await logIn(place, "far")).code).toBe(1);
    expect(kept(place)).toBe(before);
  });

  it("that is broken off before the person answers keeps the one before", async () => {
    const server = await startOAuthServer();
    const place = await placeOf(server);
    await logIn(place, "far");
    const before = kept(place);
    const { code } = await place.runAlone(["mcp", "login", "far"], {
      onStart(child) {
        child.stdout?.on("data", () => child.kill("SIGKILL"));
      },
    });
    expect(code).toBe(null);
    expect(kept(place)).toBe(before);
  });
});

it("an exported session hides the tokens of every login, whoever wrote them into it", async () => {
  const server = await startOAuthServer();
  const place = await placeOf(server);
  await place.run(["-p", "go", "--model", "anthropic/scripted"]);
  await logIn(place, "far");
  const log = place.logs().at(-1) ?? "";
  writeFileSync(log, readFileSync(log, "utf8").replaceAll("Done.", `Done. ${server.given.join(" ")}`));
  expect((await place.run(["export", "--format", "json", "-o", "out.json"])).code).toBe(0);
  const exported = readFileSync(join(place.cwd, "out.json"), "utf8");
  expect(exported).toContain("Done. [secret INDUS_SERVER_LOGIN]");
  for (const secret of server.given) expect(exported).not.toContain(secret);
});

it("does not follow a server to another machine over plain HTTP, nor a public one to this machine", async () => {
  const server = await startOAuthServer({ authorization_servers: ["http://far.invalid"] });
  const { code, stderr } = await logIn(await placeOf(server), "far");
  expect([code, stderr]).toEqual([1, expect.stringContaining("http://far.invalid is refused")]);
});

it("takes no answer that does not belong to it", async () => {
  const server = await startOAuthServer();
  const place = await placeOf(server);
  const forged = (url: string): string => {
    const asked = new URL(url);
    const back = new URL(asked.searchParams.get("redirect_uri") ?? "");
    back.search = "?code=stolen&state=other";
    void fetch(back).then(async (answer) => {
      expect(answer.status).toBe(404);
      await fetch(url);
    });
    return back.href;
  };
  expect((await logIn(place, "far", forged)).code).toBe(0);
});

it.each([
  ["nobody", "there is no MCP server called"],
  ["near", "a login is for servers with an address"],
])("says why there is no login: %s", async (name, why) => {
  const place = await placeOf(await startOAuthServer());
  place.file(".indus/addons/near/manifest.toml", 'id = "near"\n[run]\nmcp = ["node", "x.mjs"]\n');
  const { code, stderr } = await place.run(["mcp", "login", name]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
});
