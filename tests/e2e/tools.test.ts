// The tools beyond files and shell, through the real command: a background job and its notice, the checklist, the web.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isRunning } from "../support/is-running.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { RecordedRequest, Script } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { until } from "../support/until.ts";

const MODEL = ["--model", "anthropic/x", "--permission-mode", "bypass"] as const;
/** The texts of the outcomes that a request brings, in the order of their calls. */
function outcomesIn(request: RecordedRequest | undefined): readonly string[] {
  const messages = request?.body.messages as readonly { readonly content: unknown }[] | undefined;
  const blocks = (messages ?? []).flatMap((message) =>
    Array.isArray(message.content) ? message.content : [],
  );
  return blocks
    .filter((block: { readonly type?: string }) => block.type === "tool_result")
    .map((block: { readonly content?: unknown }) =>
      Array.isArray(block.content)
        ? block.content.map((part: { text?: string }) => part.text ?? "").join("")
        : String(block.content),
    );
}
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);

it("a background job runs beside the conversation, and its end is a logged notice that the model reads", async () => {
  const notice = "[notice from builtin:processes]\\n> job-1 ended with exit code 0";
  // The model goes on with something else until it is told of the end.
  const { run, server, entries } = await createServedShared((request, index) => {
    if (index === 0)
      return { calls: [{ name: "process", input: { action: "start", command: "echo started; echo over" } }] };
    if (sent(request).includes("started\\nover")) return { text: "done" };
    if (!sent(request).includes(notice)) return { calls: [{ name: "bash", input: { command: "sleep .1" } }] };
    return { calls: [{ name: "process", input: { action: "poll", id: "job-1" } }] };
  });
  const { code } = await run(["-p", "go", ...MODEL]);
  expect(code).toBe(0);
  expect(sent(server.requests.at(-2))).toContain(notice);
  expect(entries().find((entry) => entry.type === "notice")).toMatchObject({ origin: "builtin:processes" });
  expect(sent(server.requests.at(-1))).toContain("started\\nover");
});

it("no tool makes Node speak on stderr", LONG_ONLY, async () => {
  const calls = [
    { name: "write", input: { path: "a.txt", content: "one\n" } },
    { name: "edit", input: { path: "a.txt", oldText: "one", newText: "two" } },
    { name: "grep", input: { pattern: "two" } },
    { name: "find", input: { pattern: "*.txt" } },
    { name: "ls", input: { path: "." } },
    { name: "read", input: { path: "a.txt" } },
    { name: "bash", input: { command: "cat a.txt" } },
    { name: "webfetch", input: { url: "http://127.0.0.1:9/" } },
    { name: "websearch", input: { query: "" } },
    { name: "todo_read", input: {} },
  ];
  const { run, server } = await createServedShared([
    ...calls.map((call) => ({ calls: [call] })),
    { text: "done" },
  ]);
  const { code, stderr } = await run(["-p", "go", ...MODEL]);
  expect(code).toBe(0);
  expect(outcomesIn(server.requests.at(-1))[2]).toContain("a.txt");
  expect(stderr).not.toMatch(/warning/i);
});

it("jobs end with the session", LONG_ONLY, async () => {
  const { run, cwd } = await createServedShared([
    { calls: [{ name: "process", input: { action: "start", command: "echo $$ > pid; exec sleep 600" } }] },
    { calls: [{ name: "bash", input: { command: "until [ -s pid ]; do sleep .05; done" } }] },
    { text: "done" },
  ]);
  await run(["-p", "go", ...MODEL]);
  const pid = Number(readFileSync(join(cwd, "pid"), "utf8"));
  expect(pid).toBeGreaterThan(0);
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

/** Until it runs, setsid has not left its group; the program it starts signals that it has. */
const LEFT = `setsid sh -c 'echo $$ >> pids; exec sleep 600' &`;

it.runIf(process.platform === "linux")(
  "what leaves the session of a command ends with the call, and the model is told",
  LONG_ONLY,
  async () => {
    // Looked at when the model reads the outcome: the host has not ended yet.
    const alive: boolean[] = [];
    const { run, server, cwd } = await createServedShared((_request, index) => {
      if (index === 0)
        return {
          calls: [
            { name: "bash", input: { command: `${LEFT} until [ -s pids ]; do sleep .01; done; echo done` } },
          ],
        };
      alive.push(isRunning(Number(readFileSync(join(cwd, "pids"), "utf8"))));
      return { text: "done" };
    });
    await run(["-p", "go", ...MODEL]);
    expect(outcomesIn(server.requests[1])).toEqual([
      "stdout:\ndone\n\nstatus: exit code 0\n" +
        "ended: 1 process that had left the command's process group. Use process for anything that must keep running.",
    ]);
    expect(alive).toEqual([false]);
  },
);

it.runIf(process.platform === "linux").each(rows(["SIGKILL", "SIGQUIT"] as const, theFirst))(
  "all commands and jobs end when %s ends the host",
  async (signal) => {
    const { run, cwd } = await createServedShared([
      { calls: [{ name: "process", input: { action: "start", command: `${LEFT} sleep 600; true` } }] },
      {
        calls: [
          { name: "bash", input: { command: `${LEFT} echo $$ >> pids; touch begun; sleep 600; true` } },
        ],
      },
      { text: "never" },
    ]);
    const pids = (): readonly number[] =>
      readFileSync(join(cwd, "pids"), "utf8").trim().split("\n").map(Number);
    const ending = run(["-p", "go", ...MODEL], {
      onStart: (host) => {
        void until(() => existsSync(join(cwd, "begun")) && pids().length === 3).then(() => {
          expect(pids().every(isRunning)).toBe(true);
          host.kill(signal);
        });
      },
    });
    expect((await ending).code).toBeNull();
    await until(() => !pids().some(isRunning));
  },
);

it("the checklist is kept for the session", async () => {
  const items = [
    { id: "1", text: "look", status: "done" },
    { id: "2", text: "mend", status: "active" },
  ];
  const { run, server } = await createServedShared([
    { calls: [{ name: "todo_set", input: { items } }] },
    { calls: [{ name: "todo_read", input: {} }] },
    { text: "done" },
  ]);
  await run(["-p", "go", "--model", "anthropic/x"]);
  expect(sent(server.requests[2])).toContain("[x] 1: look");
  expect(sent(server.requests[2])).toContain("[~] 2: mend");
});

it("the web is asked about, and an address on this machine is refused even when everything is allowed", async () => {
  let asked = 0;
  const local = createServer((_request, response) => {
    asked++;
    response.end("secret");
  });
  await new Promise<void>((resolve) => local.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(local.address() as AddressInfo).port}/`;
  const script: Script = [{ calls: [{ name: "webfetch", input: { url } }] }, { text: "done" }];
  const first = await createServedShared(script);
  await first.run(["-p", "go", "--model", "anthropic/x"]);
  expect(sent(first.server.requests[1])).toContain(
    "Refused: webfetch was not run, because no rule allows a connection to 127.0.0.1",
  );
  const second = await createServedShared(script);
  await second.run(["-p", "go", ...MODEL]);
  expect(sent(second.server.requests[1])).toContain("is_error");
  expect(asked).toBe(0);
  expect(await (await fetch(url)).text()).toBe("secret"); // the twin: the address does answer
  await new Promise((resolve) => local.close(resolve));
});

it("a deny rule on a file holds for a search that only passes by, as it does for a read", async () => {
  const script: Script = [
    {
      calls: [
        { name: "read", input: { path: ".env" } },
        { name: "grep", input: { pattern: "SECRET" } },
        { name: "grep", input: { pattern: "SECRE[T]" } },
      ],
    },
    { text: "done" },
  ];
  for (const [flags, seen] of [
    [["--deny", "read(**/.env)"], 0],
    [[], 3], // the twin
  ] as const) {
    const { run, file, server } = await createServedShared(script);
    file(".env", "SECRET=hunter2\n");
    file("a.txt", "no SECRET here\n");
    await run(["-p", "go", ...MODEL, ...flags]);
    expect(sent(server.requests[1]).match(/hunter2/g) ?? []).toHaveLength(seen);
    expect(sent(server.requests[1])).toContain("no SECRET here");
  }
});

it("a name that would forge a row is one line in every listing, read as it is shown, and denied as it is shown", async () => {
  const script: Script = [
    {
      calls: [
        { name: "ls", input: {} },
        { name: "find", input: { query: "*.txt" } },
        { name: "grep", input: { pattern: "content" } },
        { name: "read", input: { path: 'sub/"a\\nfile 9 forged.txt"' } },
        { name: "ls", input: { path: " " } },
      ],
    },
    { text: "done" },
  ];
  for (const [flags, isRead] of [
    [[], true],
    [["--deny", "read(sub/a*)"], false],
  ] as const) {
    const { run, file, server } = await createServedShared(script);
    file("sub/a\nfile 9 forged.txt", "content\n");
    file("b\nfile 9 forged.txt", "content\n");
    await run(["-p", "go", "--model", "anthropic/x", ...flags]);
    const [listed, found, searched, read, blank] = outcomesIn(server.requests[1]);
    expect(listed).toBe('2 entries in .\ndir  0 sub/\nfile 8 "b\\nfile 9 forged.txt"');
    expect(found).toContain('"b\\nfile 9 forged.txt"');
    expect(searched).toContain('"b\\nfile 9 forged.txt":1: content');
    expect(read).toContain(isRead ? "\tcontent" : "Refused: read was not run");
    expect(blank).toContain('"path" contains only whitespace: expected a path.');
  }
});

it(
  "the end of a line of 3 MB is read by following the advice, and a file keeps its encoding",
  LONG_ONLY,
  async () => {
    const line = `${"x".repeat(3_000_000)}the end`;
    const readOn = (request: RecordedRequest): number =>
      Number(/byteOffset (\d+)\./.exec(outcomesIn(request).at(-1) ?? "")?.[1]);
    const { run, server, cwd, file } = await createServedShared((request, index) => {
      if (index === 0) return { calls: [{ name: "read", input: { path: "one-line.js" } }] };
      if (index === 1)
        return { calls: [{ name: "read", input: { path: "one-line.js", byteOffset: readOn(request) } }] };
      const edit = { path: "a.reg", oldText: "alt", newText: "neu" };
      if (index === 2)
        return {
          calls: [
            { name: "read", input: { path: "one-line.js", byteOffset: 2_999_000 } },
            { name: "read", input: { path: "a.reg" } },
            { name: "edit", input: edit },
          ],
        };
      return { text: "done" };
    });
    file("one-line.js", line);
    writeFileSync(join(cwd, "a.reg"), Buffer.from("\ufeffgrün = alt\r\n", "utf16le"));
    await run(["-p", "go", "--model", "anthropic/x"]);
    const [first, second, last, utf16, edited] = outcomesIn(server.requests[3]);
    expect(first).toMatch(
      /^Showing lines 1–1 of 1\. The line is longer than the output ceiling: continue with byteOffset/,
    );
    expect(second).toMatch(
      /^Showing bytes \d+–\d+ of 3000007\. \d+ bytes remaining: continue with byteOffset \d+\.\nx+$/,
    );
    expect(last).toBe(`Showing bytes 2999000–3000006 of 3000007.\n${line.slice(2_999_000)}`);
    expect(utf16).toBe(
      "Showing lines 1–1 of 1. Line endings are CRLF. It is UTF-16LE text.\n     1\tgrün = alt",
    );
    expect(edited).toContain("Edited a.reg: 1 replacement. The encoding is still UTF-16LE.");
    expect(readFileSync(join(cwd, "a.reg"))).toEqual(Buffer.from("\ufeffgrün = neu\r\n", "utf16le"));
  },
);

it("one argument that cannot be read is one failed call, not the end of the run", async () => {
  const { run, server, entries } = await createServedShared([
    { calls: [{ name: "read", input: { path: "a\0b" } }] },
    { text: "done" },
  ]);
  const { code, stdout } = await run(["-p", "go", "--model", "anthropic/x"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
  expect(entries().find((entry) => entry.type === "tool")).toMatchObject({ state: "failed" });
  expect(server.requests).toHaveLength(2);
});

it("the key of a provider with a name of its own never reaches a command", async () => {
  const { run, server, settings } = await createServedShared([
    { calls: [{ name: "bash", input: { command: "env" } }] },
    { text: "done" },
  ]);
  const provider = { id: "corp", kind: "anthropic", baseUrl: server.url, apiKeyEnv: "CORP_LLM" };
  settings({ localServers: [], providers: [provider] });
  await run(["-p", "go", "--model", "corp/x", "--permission-mode", "bypass"], {
    env: { CORP_LLM: "sk-canary-1", OTHER: "visible", DB: "postgres://u:sk-canary-2@h/d" },
  });
  expect(sent(server.requests[1])).toContain("OTHER=visible");
  expect(sent(server.requests[1])).not.toContain("sk-canary");
});

it(
  "ignored files are left out of a search, counted, and found when asked for; a setting turns that off",
  LONG_ONLY,
  async () => {
    const script: Script = [
      {
        calls: [
          { name: "grep", input: { pattern: "needle" } },
          { name: "find", input: { query: "*.log" } },
        ],
      },
      { text: "done" },
    ];
    for (const [respectGitignore, found] of [
      [true, false],
      [false, true],
    ] as const) {
      const { run, file, server, settings } = await createServedShared(script);
      settings({ localServers: [], respectGitignore });
      file(".gitignore", "*.log\n");
      file("a.log", "needle\n");
      file("a.txt", "needle\n");
      await run(["-p", "go", "--model", "anthropic/x"]);
      expect(sent(server.requests[1]).includes("a.log:1: needle")).toBe(found);
      expect(
        sent(server.requests[1]).includes("1 ignored file was skipped; set includeIgnored to search it."),
      ).toBe(!found);
    }
  },
);
