// `indus view`, by the real command: a page on loopback that follows a session, for whoever has its address and for nobody else.

import type { ChildProcess } from "node:child_process";
import { appendFileSync, readFileSync, renameSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { describe, expect, it, onTestFinished } from "vitest";
import { lacksBrowser, openPage } from "../support/browser.ts";
import { commandWithout } from "../support/guard-off.ts";
import type { WorkplaceOptions } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { createServedWorkplace } from "../support/served-workplace.ts";
import { untilHolds } from "../support/until.ts";

const MODEL = ["--model", "anthropic/scripted", "--permission-mode", "bypass"] as const;

async function viewed(options: WorkplaceOptions = {}) {
  const place = await createServedWorkplace(
    [
      { calls: [{ name: "bash", input: { command: "echo canary-value-77aa21" } }] },
      { text: "<script>document.title='taken'</script> first answer" },
      { text: "second answer" },
    ],
    options,
  );
  await place.run(["-p", "say one", ...MODEL]);
  let child: ChildProcess | undefined;
  let said = "";
  const ended = place.runAlone(["view"], {
    env: { LATE_API_KEY: "canary-value-77aa21" },
    onStart(started) {
      child = started;
      started.stdout?.on("data", (chunk: Buffer) => {
        said += chunk.toString();
      });
    },
  });
  const end = async () => {
    child?.kill("SIGINT");
    return ended;
  };
  onTestFinished(() => end().then(() => undefined));
  await untilHolds(() => expect(said).toContain("\n"));
  const address = said.split("\n")[0] ?? "";
  return { ...place, address, end, log: place.logs()[0] ?? "" };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** With exactly these headers: `fetch` sets some by itself. */
function get(
  address: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { headers, method }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on("error", reject).end();
  });
}

describe("indus view", () => {
  it("serves the session as the export shows it, follows it, and ends with Ctrl-C", async () => {
    const { address, end, run } = await viewed();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
    const page = await get(address);
    expect(page.status).toBe(200);
    expect(page.text).toContain("&lt;script&gt;document.title=");
    expect(page.text).not.toContain("canary-value-77aa21");
    expect(page.text.match(/<script/g)).toHaveLength(1);
    expect(page.text).toContain("connect-src 'self'");
    expect((await get(`${address}turns?from=1`)).text).toBe("");

    const events = await fetch(`${address}events`);
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    const state = async () =>
      JSON.parse(((await reader?.read())?.value ?? "").replace("data: ", "")) as object;
    expect(await state()).toMatchObject({ branch: 0, isRunning: false });
    await run(["-c", "-p", "say two", ...MODEL]);
    expect(await state()).toHaveProperty("size");
    await untilHolds(async () =>
      expect((await get(`${address}turns?from=1`)).text).toContain("second answer"),
    );
    await reader?.cancel();
    expect(await end()).toMatchObject({ code: 0, stderr: "" });
  });

  it("tries a log again that cannot be read at first", async () => {
    const { address, end, log } = await viewed();
    renameSync(log, `${log}.away`);
    expect(await get(address)).toMatchObject({ status: 503, headers: { refresh: "1" } });
    const reader = (await fetch(`${address}events`)).body?.pipeThrough(new TextDecoderStream()).getReader();
    renameSync(`${log}.away`, log);
    expect((await reader?.read())?.value).toMatch(/^data: \{"size":\d+,"branch":0,"isRunning":false\}/);
    expect(await get(address)).toMatchObject({ status: 200, text: expect.stringContaining("first answer") });
    await reader?.cancel();
    expect(await end()).toMatchObject({ code: 0, stderr: "" });
  });

  it("answers nobody else", async () => {
    const { address } = await viewed();
    const { origin, port, host } = new URL(address);
    const site = { "sec-fetch-site": "cross-site" };
    const refused = [
      await get(origin),
      await get(`${origin}/${"x".repeat(32)}/`),
      await get(`${origin}/${"x".repeat(32)}/events`),
      await get(address, { host: `attacker.example:${port}` }),
      await get(address, { host: `localhost:${port}` }),
      await get(address, { origin: "http://attacker.example" }),
      await get(address, { origin: "null" }),
      await get(`${address}turns`, site),
      await get(address, {}, "POST"),
      await get(address, {}, "OPTIONS"),
      await get(`${address}%2e%2e/package.json`),
    ];
    expect(refused.map(({ status }) => status)).toEqual([
      404, 404, 404, 403, 403, 403, 403, 403, 403, 403, 404,
    ]);
    for (const { text, headers } of refused) {
      expect(text).not.toContain("first answer");
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    const own = await get(address, { host, origin, "sec-fetch-site": "same-origin" });
    expect([own.status, own.headers]).toEqual([
      200,
      expect.objectContaining({
        "cache-control": "no-store",
        "content-security-policy": "frame-ancestors 'none'",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      }),
    ]);
  });

  it(
    "would answer a name that points to this machine, and another site, without the guard",
    LONG_ONLY,
    async () => {
      const command = commandWithout([
        {
          file: "parts/view/page-server.ts",
          guard: "const refusal = refusalOf(request, host);",
          instead: "const refusal = [refusalOf(request, host)].find(() => false);",
        },
      ]);
      const { address } = await viewed({ command });
      const { port } = new URL(address);
      for (const headers of [{ host: `attacker.example:${port}` }, { origin: "http://attacker.example" }])
        expect((await get(address, headers)).text).toContain("first answer");
    },
  );

  it("goes on while the log is damaged or being written, and takes an id", async () => {
    const { address, log, run, cwd } = await viewed();
    appendFileSync(log, '{"n":99,"at":1,"ty');
    expect((await get(`${address}turns`)).text).toContain("first answer");
    const unknown = await run(["view", "nothing", "--cwd", cwd]);
    expect([unknown.code, unknown.stdout]).toEqual([1, ""]);
  });
});

describe.skipIf(lacksBrowser())("the page in a browser", () => {
  it("shows what is new without a word from the reader, tells a screen reader, keeps what was unfolded, and breaks no rule", async () => {
    const { address, run } = await viewed();
    const page = await openPage(address);
    await page.evaluate("document.querySelector('details').open = true");
    await run(["-c", "-p", "say two", ...MODEL]);
    await untilHolds(async () =>
      expect(await page.evaluate("document.body.textContent")).toContain("second answer"),
    );
    expect(await page.evaluate("document.querySelector('[role=status]').textContent")).toContain("turn 2");
    expect(await page.evaluate("document.querySelector('details').open")).toBe(true);
    expect(await page.evaluate("document.title")).not.toBe("taken");
    const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const found = await page.evaluate(
      `${axe}; axe.run().then(({ violations }) => violations.map(({ id }) => id))`,
    );
    expect(found).toEqual([]);
    expect(page.complaints).toEqual([]);
    for (const asked of page.requests) expect(asked.startsWith(address)).toBe(true);
  });
});
