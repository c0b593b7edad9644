// A provider of models that an addon brings: data in its manifest. The host asks it, at the host that was granted and with the
// secret that was granted, and nothing else of the session sees the key.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { type ModelServer, type Script, startModelServer } from "../support/model-server.ts";

const KEY = "acme-key-4d1c90ab77";

interface Scene extends Workplace {
  readonly server: ModelServer;
}

const manifest = (url: string, more = ""): string => `
id = "acme"
version = "1.0.0"

[[provider]]
id = "acme"
wire = "chat"
base-url = "${url}/v1"
secret = "ACME_KEY"

[[provider.model]]
id = "big-one"
context-window = 200000
max-output-tokens = 32000
${more}`;

async function scene(
  script: Script = [{ text: "from acme" }],
  text: (url: string) => string = manifest,
): Promise<Scene> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const place = createSharedWorkplace();
  place.file(".indus/addons/acme/manifest.toml", text(server.url));
  return { ...place, server };
}
const ARGS = ["-p", "--grant", "acme", "--model", "acme/big-one"];
const ENV = { ACME_KEY: KEY };

describe("a provider of an addon", () => {
  it("answers where the addon is trusted, and its key is masked and in no command's environment", async () => {
    const { run, server, logs } = await scene([
      { calls: [{ name: "bash", input: { command: 'echo "[$ACME_KEY]"' } }] },
      { text: `it is ${KEY}` },
    ]);
    const end = await run([...ARGS, "--permission-mode", "bypass", "go"], { env: ENV });
    expect([end.code, end.stdout]).toEqual([0, "it is [secret ACME_KEY]\n"]);
    expect(end.stderr).not.toContain("unknown model acme/big-one");
    expect(server.requests.map(({ headers, path }) => [path, headers.authorization])).toEqual([
      ["/v1/chat/completions", `Bearer ${KEY}`],
      ["/v1/chat/completions", `Bearer ${KEY}`],
    ]);
    expect(server.requests[1]?.rawBody).toContain("[]");
    expect(readFileSync(logs()[0] ?? "", "utf8")).not.toContain(KEY);
  });

  it("is not there where nobody trusts the addon, and nothing is sent", async () => {
    const { run, server } = await scene();
    const end = await run(["-p", "--model", "acme/big-one", "go"], { env: ENV });
    expect(end.code).toBe(1);
    expect(end.stderr).toContain('Unknown provider "acme"');
    expect(server.requests).toEqual([]);
  });

  it("is left out without its secret, which is said, and the rest of the addon stays", async () => {
    const { run, server } = await scene(undefined, (url) =>
      manifest(url, '[[command]]\nname = "hi"\nsummary = "says hi"\n'),
    );
    const end = await run([...ARGS, "go"]);
    expect(end.code).toBe(1);
    expect(end.stderr).toContain("secret (ACME_KEY)");
    expect(server.requests).toEqual([]);
    const listed = await run(["addons", "--grant", "acme"]);
    expect(listed.stdout).toContain("commands  /hi");
    expect(listed.stdout).toMatch(/skipped +provider acme: it needs secret \(ACME_KEY\)/);
    expect((await run(["addons", "--grant", "acme"], { env: ENV })).stdout).toContain("models    of acme");
  });

  it("takes no name of the product's or the person's", async () => {
    const { run, server } = await scene(undefined, (url) => manifest(url).replaceAll('"acme"', '"openai"'));
    const end = await run(["addons", "--grant", "acme"], { env: ENV });
    expect(end.stdout).toContain('the provider name "openai" is taken by the host');
    const own = await scene();
    const elsewhere = { wire: "chat", baseUrl: `${server.url}/v1` };
    writeFileSync(join(own.home, "models.json"), JSON.stringify({ providers: { acme: elsewhere } }));
    const answered = await own.run([...ARGS, "go"], { env: ENV });
    expect(answered.code).toBe(0);
    expect(own.server.requests).toEqual([]);
    expect(server.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/v1/chat/completions", undefined],
    ]);
  });

  it.each(
    rows(
      [
        ["an address without TLS", 'base-url = "http://models.example/v1"', "must be an https URL"],
        [
          "an address with a key",
          'base-url = "https://me:pass@models.example/v1"',
          "without user name, password",
        ],
        ["a variable's place", 'base-url = "https://{HOME}.example/v1"', "is not a URL"],
        ["an unknown key", 'base-url = "https://models.example/v1"\nheaders = "x"', "unknown key"],
      ],
      theFirst,
    ),
  )("%s refuses the manifest and says why", async (_, line, why) => {
    const { run } = await scene(undefined, (url) => manifest(url).replace(/base-url = .*/, line));
    const end = await run(["addons", "--grant", "acme"], { env: ENV });
    expect(end.stdout).toContain(why);
  });
});

it("the question of trust says where conversations would go, and with which key", async () => {
  const { run } = await scene();
  const check = await run(["addon", "check", "--json", ".indus/addons/acme"], { env: ENV });
  expect(check.stdout).toContain(
    "lets you choose models of acme: conversations with them go to http://127.0.0.1",
  );
  expect(check.stdout).toContain("with the key in ACME_KEY");
});

describe("an author's provider", () => {
  it("is what the addon contributes, and a name of the product's is told", async () => {
    const { run, file, server } = await scene();
    const good = await run(["addon", "check", ".indus/addons/acme"], { env: ENV });
    expect(good.stdout).toMatch(/^ {2}does {3}models of acme$/m);
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining("good: no problems found")]);
    file(".indus/addons/acme/manifest.toml", manifest(server.url).replaceAll('"acme"', '"openai"'));
    const taken = await run(["addon", "check", ".indus/addons/acme"], { env: ENV });
    const why = 'problem: provider openai is skipped: the provider name "openai" is taken by the host';
    expect([taken.code, taken.stdout]).toEqual([1, expect.stringContaining(`${why}\n1 problem`)]);
  });

  it("is there in addon dev, with its models' windows", LONG_ONLY, async () => {
    const { run } = await scene();
    const args = ["addon", "dev", ".indus/addons/acme", "--model", "acme/big-one"];
    const { code, stdout, stderr } = await run(args, { env: ENV, stdin: "go\n" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("acme is loaded: + models of acme\n");
    expect(stdout).not.toContain("unknown model");
    expect(stdout).toContain("from acme");
  });
});
