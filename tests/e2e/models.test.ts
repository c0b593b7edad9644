// Models as a person meets them: the table, models.json, the notice of a model that nobody described, and the one of a model that
// goes. Through the real command.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { startModelServer } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const models = (place: Workplace, value: unknown): void =>
  writeFileSync(join(place.home, "models.json"), typeof value === "string" ? value : JSON.stringify(value));

it("indus models [filter] is a table of what is known", async () => {
  const place = createSharedWorkplace("http://127.0.0.1:9");
  models(place, {
    models: { "anthropic/claude-opus-5-5": { contextWindow: 200_000 }, "mine/own": { contextWindow: 9_000 } },
  });
  const all = await place.run(["models"]);
  expect(all).toMatchObject({ code: 0, stderr: "" });
  expect(all.stdout).toMatch(/^ {2}model +window +answer +\$ in \/ out/);
  expect(all.stdout).toMatch(
    /\n {2}google\/gemini-2\.5-pro +1\.05M +66k +1\.25 \/ 10, 2\.5 \/ 15 above 200k +thinking off low medium high, images, may be retired from 2026-12-01 on: gemini-3\.8-flash\n/,
  );
  expect(all.stdout).toMatch(/\n {2}mine\/own +9k +8k\n/);
  const some = await place.run(["models", "OPUS-5-5"]);
  expect(some.stdout).toMatch(/\* anthropic\/claude-opus-5-5 +200k +128k/);
  expect(some.stdout).not.toContain("gemini");
  expect((await place.run(["models", "no such model"])).stdout).toContain("No known model");
  expect(JSON.parse((await place.run(["models", "claude-opus-5-5", "--json"])).stdout)).toContainEqual(
    expect.objectContaining({ provider: "anthropic", id: "claude-opus-5-5", contextWindow: 200_000 }),
  );
  expect((await place.run(["models", "a", "b"])).code).toBe(2);
});

describe("models.json", () => {
  it.each(rows(["chat", "messages", "responses"], theFirst))(
    "adds a provider on the wire %s, without code",
    async (wire) => {
      const server = await startModelServer([{ text: "done" }]);
      onTestFinished(() => server.close());
      const place = createSharedWorkplace("http://127.0.0.1:9");
      models(place, {
        providers: {
          work: {
            wire,
            baseUrl: `${server.url}/v1`,
            apiKey: "key-of-work-1234",
            headers: { "x-team": "blue" },
          },
        },
      });
      const { code, stdout, stderr } = await place.run(["-p", "--model", "work/some-model", "hello"]);
      if (wire === "responses") {
        expect(code).toBe(1); // the scripted server has no such address
        expect(stderr).toContain("no such path /v1/responses");
        return;
      }
      expect([code, stdout]).toEqual([0, "done\n"]);
      const [{ headers, path } = { headers: {}, path: "" }] = server.requests;
      expect(path).toBe(wire === "chat" ? "/v1/chat/completions" : "/v1/messages");
      expect(headers).toMatchObject({ "x-team": "blue" });
      expect(
        `${headers.authorization} ${String((headers as Record<string, unknown>)["x-api-key"])}`,
      ).toContain("key-of-work-1234");
    },
  );

  it("says what a model's limits are: it compacts by them and asks for no longer answer", async () => {
    const place = await createServedShared(({ rawBody }, index) =>
      index === 0
        ? { calls: [{ name: "ls", input: {} }], usage: { input: 900 } }
        : { text: rawBody.includes("Use these headings") ? "THE SUMMARY" : "done" },
    );
    models(place, {
      models: { "anthropic/scripted": { contextWindow: 1_000, maxOutputTokens: 77 } },
    });
    expect(await place.run(["-p", "--model", "anthropic/scripted", "go"])).toMatchObject({
      code: 0,
      stdout: "done\n",
    });
    expect(place.entries().map(({ type }) => type)).toContain("summary");
    expect(place.server.requests[0]?.body.max_tokens).toBe(77);
  });

  it("keeps that limit whatever an addon asks for; a lower one holds", LONG_ONLY, async () => {
    const place = await createServedShared([{ text: "done" }, { text: "done" }]);
    models(place, { models: { "anthropic/scripted": { maxOutputTokens: 77 } } });
    for (const tokens of [999, 55]) {
      place.file(
        ".indus/addons/asks.mjs",
        `import { transform } from "induscode/addons";
export const register = (s) => s.on("chat:params", transform(({ params }) => ({ params: { ...params, maxOutputTokens: ${tokens} } })));
`,
      );
      await place.run(["-p", "--model", "anthropic/scripted", "--grant", "asks", "go"]);
    }
    expect(place.server.requests.map(({ body }) => body.max_tokens)).toEqual([77, 55]);
  });

  it.each(
    rows(
      [
        ["{", "could not be read"],
        ["[]", 'must be an object with "providers", "models" and "aliases"'],
        [{ provider: {} }, '"provider" is unknown and ignored; did you mean providers?'],
        [{ providers: { work: { wire: "chat" } } }, 'providers."work" needs a "baseUrl"'],
        [
          { providers: { work: { baseUrl: "ftp://x" } } },
          'providers."work".baseUrl must be an http or https address',
        ],
        [{ providers: { "Wo rk": { baseUrl: "http://x" } } }, "must have a name of lower-case letters"],
        [
          { providers: { work: { wire: "grpc", baseUrl: "http://127.0.0.1:9" } } },
          'providers."work".wire must be one of chat, gemini, messages, responses',
        ],
        [
          { models: { "a/b": { contextWindow: "1k" } } },
          'models."a/b".contextWindow must be a positive whole number',
        ],
        [{ models: { "a/b": 9 } }, 'models."a/b" must be an object'],
      ],
      theFirst,
    ),
  )("what is wrong in it is named and ignored: %j", async (value, told) => {
    const place = await createServedShared([{ text: "done" }]);
    models(place, value);
    const { code, stdout, stderr } = await place.run(["-p", "--model", "anthropic/scripted", "hello"]);
    expect([code, stdout]).toEqual([0, "done\n"]);
    expect(stderr).toContain(told);
    expect(stderr).toContain("ignored");
  });

  it("of a repository is not read", async () => {
    const place = await createServedShared([{ text: "done" }]);
    place.file(
      ".indus/models.json",
      JSON.stringify({ providers: { anthropic: { baseUrl: "http://127.0.0.1:9" } } }),
    );
    expect(await place.run(["-p", "--model", "anthropic/scripted", "hello"])).toMatchObject({
      code: 0,
      stderr: "",
    });
  });
});

describe("a server on this machine", () => {
  const place = async (): Promise<Workplace> => {
    const server = await startModelServer(() => ({ text: "done" }), {
      models: ["qwen3-coder:30b", "gemma", "gemma-small"],
      windows: { "qwen3-coder:30b": 32_768 },
    });
    onTestFinished(() => server.close());
    const made = createSharedWorkplace();
    made.settings({ localServers: ["http://127.0.0.1:1/v1", `${server.url}/v1`] });
    return made;
  };

  it("is listed with its models and their windows", async () => {
    const { stdout } = await (await place()).run(["models", "local"]);
    expect(stdout).toMatch(/\n\* local\/qwen3-coder:30b +33k /);
    expect(stdout).toMatch(/\n\* local\/gemma +64k /);
  });

  it(
    "has the model that --model names, or a part of whose name it is; what it has is said",
    LONG_ONLY,
    async () => {
      const { run } = await place();
      expect(await run(["-p", "--model", "local/gemma", "hello"])).toMatchObject({
        code: 0,
        stdout: "done\n",
      });
      expect(await run(["-p", "--model", "local/coder", "hello"])).toMatchObject({
        code: 0,
        stdout: "done\n",
      });
      const several = await run(["-p", "--model", "local/gem", "hello"]);
      expect([several.code, several.stderr]).toEqual([
        2,
        'indus: "local/gem" could be local/gemma, local/gemma-small. Write more of the name\n',
      ]);
      const none = await run(["-p", "--model", "local/llama", "hello"]);
      expect(none.code).toBe(1);
      expect(none.stderr).toContain(
        'no server on this machine has a model "llama"; available: local/qwen3-coder:30b, local/gemma, local/gemma-small',
      );
    },
  );

  it("says its window, which then is not asked of the person", LONG_ONLY, async () => {
    const { run } = await place();
    const known = await run([], { stdin: "hello\n/context\n/quit\n" });
    expect(known.stderr).not.toContain("unknown model");
    expect(known.stdout).toContain(" of 32.8k tokens");
    const unknown = await run(["--model", "local/gemma"], { stdin: "hello\n/quit\n" });
    expect(unknown.stdout + unknown.stderr).toContain("unknown model local/gemma");
  });

  it("may be changed to in a session with another model", LONG_ONLY, async () => {
    const made = await place();
    const env = { ANTHROPIC_API_KEY: "key-of-nobody-1234", ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };
    const { stdout, stderr } = await made.run([], {
      stdin: "/model local/nope\n/model local/coder\nhello\n/quit\n",
      env,
    });
    expect(stdout + stderr).toContain('no server on this machine has a model "nope"');
    expect(stdout).toContain("The model is now local/qwen3-coder:30b.");
    expect(stdout).toContain("done");
  });
});

it("a model that may go soon says so and names what follows it; another does not", async () => {
  const place = await createServedShared(() => ({ text: "done" }));
  const old = await place.run(["-p", "--model", "anthropic/claude-sonnet-4-5", "hello"]);
  expect(old.code).toBe(0);
  expect(old.stderr).toContain(
    "claude-sonnet-4-5 may be retired from 2026-09-29 on; its successor is claude-sonnet-5-5",
  );
  const current = await place.run(["-p", "--model", "anthropic/claude-sonnet-5-5", "hello"]);
  expect(current).toMatchObject({ code: 0, stderr: "" });
  const nowhere = await place.run(["-p", "--model", "nosuch/claude-sonnet-4-5", "hello"]);
  expect(nowhere.stderr).toMatch(/^indus: Unknown provider "nosuch"/); // and nothing of the model
});

describe("--model takes less than the whole name", () => {
  it(
    "an id, a part of one, and a word from models.json; the log and /model have the whole name",
    LONG_ONLY,
    async () => {
      const place = await createServedShared(Array.from({ length: 4 }, () => ({ text: "done" })));
      models(place, { aliases: { smart: "anthropic/claude-opus-5-5" } });
      for (const words of ["claude-opus-5-5", "opus-5-5", "smart"]) {
        expect(await place.run(["-p", "--model", words, "go"])).toMatchObject({ code: 0, stdout: "done\n" });
      }
      expect(place.server.requests.map(({ body }) => body.model)).toEqual(Array(3).fill("claude-opus-5-5"));
      const { stdout } = await place.run(["--model", "smart"], { stdin: "/model fable-5-1\nhi\n/model\n" });
      expect(stdout).toContain("The model is now anthropic/claude-fable-5-1.");
      expect(place.server.requests[3]?.body.model).toBe("claude-fable-5-1");
      expect(stdout).toContain("anthropic/claude-fable-5-1  (context ");
    },
  );

  it("says which it could be where it could be several, and asks none", LONG_ONLY, async () => {
    const place = await createServedShared([{ text: "done" }]);
    const { code, stderr } = await place.run(["-p", "--model", "opus", "go"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/"opus" matches \d+ models: anthropic\/claude-opus-4-1, /);
    expect(stderr).toContain("indus models opus lists them");
    const { stdout } = await place.run(["--model", "opus-5-5"], { stdin: "/model opus\n/model\n" });
    expect(stdout).toContain('"opus" matches ');
    expect(stdout).toContain("anthropic/claude-opus-5-5  (context ");
    expect(place.server.requests).toHaveLength(0);
  });

  it("says what is expected where nothing has such a name", async () => {
    const place = await createServedShared([{ text: "done" }]);
    const { code, stderr } = await place.run(["-p", "--model", "no-such-model", "go"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('"no-such-model" is not a model name.');
  });
});

it.each(
  rows(
    [
      ["GROQ_API_KEY", "groq", "openai/gpt-oss-120b"],
      ["OPENROUTER_API_KEY", "openrouter", "anthropic/claude-sonnet-5"],
    ],
    theFirst,
  ),
)("%s alone chooses a model of its provider", async (variable, id, model) => {
  const place = await createServedShared([{ text: "done" }, { text: "done" }]);
  const row = { wire: "chat", baseUrl: `${place.server.url}/v1`, apiKeyEnv: variable };
  models(place, { providers: { [id]: row } });
  const none = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "", OPENAI_API_KEY: "", OPENAI_BASE_URL: "" };
  const env = { ...none, [variable]: "key-of-the-environment" };
  expect(await place.run(["-p", "go"], { env })).toMatchObject({ code: 0, stdout: "done\n" });
  expect(place.server.requests[0]?.body.model).toBe(model);
  await place.run(["auth", "login", id, "--file"], { env: none, stdin: "key-that-is-stored\n" });
  expect(await place.run(["-p", "go"], { env: none })).toMatchObject({ code: 0, stdout: "done\n" });
  expect(place.server.requests[1]?.headers.authorization).toBe("Bearer key-that-is-stored");
});
