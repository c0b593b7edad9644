import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { localFs, memoryFs } from "indusagi/capabilities";
import type { JsonValue } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { createTestRemote } from "../../../../../tests/support/test-remote.ts";
import { sessionOf } from "../../../../../tests/support/test-session.ts";
import { PATIENCE_MS } from "../../../../../tests/support/until.ts";
import type { CommandContext } from "../../feature/command.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import type { SessionHost } from "../../feature/host.ts";

const signal = new AbortController().signal;

/** A session in the workspace `/w`. */
function hostOf(ran: string[] = []): Partial<SessionHost> {
  const fs = memoryFs({ "/w/notes.txt": "kept", "/etc/passwd": "root" });
  return {
    fs,
    root: "/w",
    env: { API_TOKEN: "s3cret" },
    exec: async (command, args) => {
      ran.push([command, ...args].join(" "));
      return { stdout: "out", stderr: "", code: 0 };
    },
    fetch: async ({ url }) => ({
      kind: "answered",
      url,
      redirects: 0,
      status: 200,
      contentType: "text/plain",
      retryAfter: undefined,
      body: new TextEncoder().encode("page"),
      isClipped: false,
    }),
  };
}

/** What the host answers to a request that the addon sends from its tool: a result, or an error's code and message. */
async function askHost(
  method: string,
  params: JsonValue,
  grants: readonly HostCapability[],
  ran?: string[],
): Promise<unknown> {
  const { remote } = createTestRemote({ grants, host: hostOf(ran), cwd: "/w" });
  const answer = await remote.call(
    "tool",
    { name: "t", callId: "1", args: { ask: method, params }, cwd: "/w" },
    { signal: AbortSignal.timeout(PATIENCE_MS), faultKind: "handler" },
  );
  const [block] = answer.content as readonly { readonly text?: string }[];
  return JSON.parse(block?.text ?? "null");
}

const files = (granted: Partial<Extract<HostCapability, { kind: "files" }>>): HostCapability => ({
  kind: "files",
  read: false,
  write: false,
  execute: false,
  ...granted,
});

describe("each request is granted, or refused with a typed error", () => {
  const cases: readonly (readonly [string, JsonValue, HostCapability, unknown])[] = [
    ["alert", { text: "a" }, { kind: "alert" }, {}],
    ["notify", { text: "a" }, { kind: "model_notification" }, {}],
    ["sendMessage", { text: "a" }, { kind: "model_notification" }, {}],
    [
      "exec",
      { command: "ls", args: ["a b"] },
      files({ execute: true }),
      { stdout: "out", stderr: "", code: 0 },
    ],
    ["readFile", { path: "notes.txt" }, files({ read: true }), { text: "kept" }],
    ["writeFile", { path: "/w/new.txt", text: "x" }, files({ write: true }), {}],
    [
      "fetch",
      { url: "https://api.example.com/x" },
      { kind: "network", purpose: "p", hosts: ["*.example.com"] },
      { status: 200, headers: { "content-type": "text/plain" }, text: "page" },
    ],
    ["secret", { id: "API_TOKEN" }, { kind: "secret", id: "API_TOKEN" }, { value: "s3cret" }],
  ];
  it.each(cases)("%s", async (method, params, grant, result) => {
    expect(await askHost(method, params, [grant])).toEqual(result);
    expect(await askHost(method, params, [])).toMatchObject({
      code: -32001,
      message: expect.stringMatching(/grant/),
    });
  });

  it("needs no grant to log or to diagnose", async () => {
    expect(await askHost("log", { text: "x" }, [])).toEqual({});
    expect(await askHost("diagnostic", { severity: "info", text: "x" }, [])).toEqual({});
  });

  it.each([
    ["a file outside the workspace", "readFile", { path: "/etc/passwd" }, -32001],
    ["a way out of the workspace", "readFile", { path: "../etc/passwd" }, -32001],
    ["another host than the granted one", "fetch", { url: "https://example.org/" }, -32001],
    ["an address that is none", "fetch", { url: "nowhere" }, -32602],
    ["a method that there is not", "launchRockets", {}, -32601],
    ["parameters that do not fit", "alert", { text: 7 }, -32602],
    ["the model, when nobody typed a command", "setModel", { name: "x" }, -32001],
  ])("refuses %s", async (_what, method, params, code) => {
    const grants: readonly HostCapability[] = [
      files({ read: true, write: true }),
      { kind: "network", purpose: "p", hosts: ["example.com"] },
      { kind: "alert" },
    ];
    expect(await askHost(method, params, grants)).toMatchObject({ code });
  });

  describe("writes nothing that something acts on later, with the grant to write files", () => {
    const write = async (path: string, protectedPaths: readonly string[]) => {
      const root = createFolder({ ".git/config": "kept", "src/a.txt": "old" });
      symlinkSync("../.git", `${root}/src/way`);
      const grants = [files({ write: true })];
      const { calls } = createTestRemote({
        grants,
        host: { fs: localFs(), root },
        cwd: root,
        protectedPaths: protectedPaths.map((name) => `${root}/${name}`),
      });
      const asked = async () => calls.handle("writeFile", { path, text: "[core]" }, { signal });
      const answer = await asked().catch((error: unknown) => error);
      const found = [".git/config", "AGENTS.md", "src/a.txt"].filter(
        (name) => existsSync(`${root}/${name}`) && readFileSync(`${root}/${name}`, "utf8") === "[core]",
      );
      return { answer, found };
    };
    const PROTECTED = [".git", "AGENTS.md"];

    it.each([
      [".git/config", ".git/config"],
      ["src/../.git/config", ".git/config"],
      ["src/way/config", ".git/config"],
      ["AGENTS.md", "AGENTS.md"],
    ])("%s is refused (twin: it is written where nothing is protected)", async (path, real) => {
      const refused = await write(path, PROTECTED);
      expect(refused.answer).toMatchObject({
        code: -32001,
        message: `${path} is protected: other programs act on it without checking who wrote it`,
      });
      expect(refused.found).toEqual([]);
      expect(await write(path, [])).toEqual({ answer: {}, found: [real] });
    });

    it("whatever the case of its letters, which some volumes ignore", async () => {
      expect((await write("agents.MD", PROTECTED)).answer).toMatchObject({ code: -32001 });
    });

    it("and writes what is beside it", async () => {
      expect(await write("src/a.txt", PROTECTED)).toEqual({ answer: {}, found: ["src/a.txt"] });
    });
  });

  it("sets no header that names another site or says where a message ends (twin: any other header passes)", async () => {
    const grants: readonly HostCapability[] = [{ kind: "network", purpose: "p", hosts: ["example.com"] }];
    const url = "https://example.com/";
    for (const name of ["Host", "host", "Transfer-Encoding", "content-length", "Connection", "proxy-x"])
      expect(await askHost("fetch", { url, headers: { [name]: "internal" } }, grants)).toMatchObject({
        code: -32001,
        message: `the header "${name}" is set by the host`,
      });
    expect(await askHost("fetch", { url, headers: { authorization: "a" } }, grants)).toMatchObject({
      status: 200,
    });
  });

  it("runs one command line at a time, so that an addon cannot call itself without end", async () => {
    const { calls } = createTestRemote({
      grants: [files({ execute: true })],
      host: { exec: () => new Promise(() => undefined) },
    });
    const exec = () => calls.handle("exec", { command: "ls" }, { signal });
    void exec();
    await expect(exec()).rejects.toMatchObject({ code: -32003 });
  });
});

describe("a command", () => {
  it("speaks to the person and acts on the session while it runs, and not after", async () => {
    const { remote, calls } = createTestRemote();
    const said: string[] = [];
    const models: string[] = [];
    const context: CommandContext = {
      args: "opus",
      cwd: "/w",
      say: (text) => void said.push(text),
      handles: { setModel: async (name) => void models.push(name) },
    };
    await remote.call(
      "command",
      { name: "go", args: "opus", cwd: "/w" },
      {
        signal: AbortSignal.timeout(PATIENCE_MS),
        faultKind: "command",
        command: context,
      },
    );
    expect(said).toEqual(["hello opus"]);
    expect(models).toEqual(["opus"]);
    await expect(calls.handle("setModel", { name: "x" }, { signal })).rejects.toMatchObject({ code: -32001 });
  });
});

describe("an addon that several sessions call", () => {
  const meet = () => {
    const heard: string[] = [];
    const hostOf = (name: string): Partial<SessionHost> => ({
      notifyModel: (_feature, text) => void heard.push(`${name}: ${text}`),
      fs: memoryFs({ "/w/notes.txt": name }),
      root: "/w",
    });
    const grants = [files({ read: true }), { kind: "model_notification" } as const];
    const { calls, open } = createTestRemote({ grants, cwd: "/w", host: hostOf("first") });
    const ask = async (during?: number): Promise<unknown> => {
      const context = { signal, during };
      await calls.handle("notify", { text: "x" }, context);
      return calls.handle("readFile", { path: "notes.txt" }, context);
    };
    return { calls, ask, heard, open, second: sessionOf(hostOf("second")) };
  };

  it("asks the one that calls it (twin: a call that brings no session is the first one's)", async () => {
    const { calls, ask, heard, second } = meet();
    const end = calls.begin(1, { session: second });
    expect(await ask()).toEqual({ text: "second" });
    end();
    const endWithout = calls.begin(2, { session: undefined });
    expect(await ask()).toEqual({ text: "first" });
    endWithout();
    const endTask = calls.begin(3, { session: sessionOf(), isTask: true });
    const endTool = calls.begin(4, { session: second });
    expect(await ask()).toEqual({ text: "second" }); // a task runs forever, so it does not count
    endTool();
    endTask();
    expect(heard).toEqual(["second: > x", "first: > x", "second: > x"]);
  });

  it("says for which call a request is while several call at once, or is refused (twin: one of them alone needs no word)", async () => {
    const { calls, ask, heard, second } = meet();
    const end = calls.begin(1, { session: second });
    const endOther = calls.begin(2, { session: undefined });
    const refusal = {
      code: -32602,
      message: expect.stringMatching(/^several sessions are calling .*"during"/),
    };
    await expect(ask()).rejects.toMatchObject(refusal);
    await expect(ask(9)).rejects.toMatchObject(refusal); // a call that never existed identifies no session
    expect(await ask(1)).toEqual({ text: "second" });
    expect(await ask(2)).toEqual({ text: "first" });
    endOther();
    expect(await ask()).toEqual({ text: "second" });
    end();
    expect(await ask()).toEqual({ text: "first" }); // between calls: the session that the others work for
    expect(heard).toEqual(["second: > x", "first: > x", "second: > x", "first: > x"]);
  });

  it("asks the one whose call started it, also when that call has ended and another one calls (twin: it is not that one)", async () => {
    const { calls, ask, open, second } = meet();
    open.add(second);
    calls.begin(1, { session: second })();
    calls.begin(2, { session: second })();
    const end = calls.begin(3, { session: undefined });
    expect(await ask(1)).toEqual({ text: "second" });
    expect(await ask(2)).toEqual({ text: "second" });
    expect(await ask()).toEqual({ text: "first" });
    open.delete(second); // its session has ended, and the first is the one that the others work for
    expect(await ask(1)).toEqual({ text: "first" });
    end();
  });

  it("takes the ids of a new process for its own (twin: those of the old one were another session's)", async () => {
    const { calls, ask, open, second } = meet();
    open.add(second);
    for (const id of [1, 2, 3]) calls.begin(id, { session: second })();
    calls.begin(1, { session: undefined })();
    expect(await ask(1)).toEqual({ text: "first" });
    expect(await ask(3)).toEqual({ text: "first" });
  });

  it("acts in a command's name during that command alone (twin: a call of the other session is none)", async () => {
    const { calls, second } = meet();
    const sent: string[] = [];
    const command = {
      args: "",
      cwd: "/w",
      say: () => undefined,
      handles: { setModel: async (name: string) => void sent.push(name) },
    };
    calls.begin(1, { session: undefined, command });
    calls.begin(2, { session: second });
    const setModel = (during?: number) => calls.handle("setModel", { name: `${during}` }, { signal, during });
    await setModel(1);
    await expect(setModel(2)).rejects.toMatchObject({ code: -32001 });
    await expect(setModel()).rejects.toMatchObject({ code: -32602 });
    expect(sent).toEqual(["1"]);
  });
});

describe("what floods nobody", () => {
  it("is a notice: those that the session would drop, and tell of each time, do not reach it (twin: the first 20 do)", async () => {
    const { calls, notices } = createTestRemote({ grants: [{ kind: "model_notification" }] });
    for (let sent = 0; sent < 20; sent++)
      await calls.handle(sent % 2 === 0 ? "notify" : "sendMessage", { text: `${sent}` }, { signal });
    for (let sent = 0; sent < 3; sent++)
      expect(() => calls.handle("notify", { text: "x" }, { signal })).toThrow(
        expect.objectContaining({ code: -32003 }),
      );
    expect(notices).toEqual(Array.from({ length: 20 }, (_, at) => `> ${at}`));
  });

  it("is the addon's log: what is left out of a second is said once (twin: what fits is kept)", async () => {
    const { calls, log } = createTestRemote();
    const text = "x".repeat(100 * 1024);
    for (let sent = 0; sent < 10; sent++) await calls.handle("log", { text }, { signal });
    expect(log).toEqual([text, text, text, "more than 262144 bytes in a second: the rest is dropped"]);
  });
});

it("an addon shows what a tool's call is doing in its row, while it runs (twin: afterwards it needs the grant alert)", async () => {
  const { calls } = createTestRemote();
  const shown: string[] = [];
  const end = calls.begin(7, { session: undefined, onProgress: (words) => void shown.push(words) });
  const tell = async (): Promise<unknown> => calls.handle("progress", { id: 7, text: "half" }, { signal });
  expect(await tell()).toEqual({});
  end();
  await expect(tell()).rejects.toThrow();
  expect(shown).toEqual(["half"]);
});

describe("a command is bounded in what it", () => {
  const begun = () => {
    const { calls } = createTestRemote();
    const said: string[] = [];
    const sent: string[] = [];
    calls.begin(1, {
      session: undefined,
      command: {
        args: "",
        cwd: "/w",
        say: (text) => void said.push(text),
        handles: { sendMessage: (text) => void sent.push(text) },
      },
    });
    return {
      said,
      sent,
      ask: async (method: string, params: JsonValue) => calls.handle(method, params, { signal }),
    };
  };
  const text = "x".repeat(40 * 1024);

  it("shows the person: what is left out is said once (twin: what fits is shown)", async () => {
    const { said, ask } = begun();
    for (let times = 0; times < 25; times++) await ask("progress", { id: 1, text });
    expect(said).toEqual(Array.from({ length: 25 }, () => text));
    for (let times = 0; times < 3; times++)
      await expect(ask("progress", { id: 1, text })).rejects.toMatchObject({ code: -32003 });
    expect(said.slice(25)).toEqual(["it wrote more than 1048576 bytes; the rest is omitted"]);
  });

  it("gives the model (twin: what fits is given)", async () => {
    const { sent, ask } = begun();
    expect(await ask("sendMessage", { text })).toEqual({});
    await expect(ask("sendMessage", { text })).rejects.toMatchObject({ code: -32003 });
    expect(sent).toEqual([text]);
  });
});

it("nothing has an effect while the addon registers, also when its process starts again", async () => {
  const { calls, alerts } = createTestRemote({ grants: [{ kind: "alert" }] });
  const alert = async () => calls.handle("alert", { text: "hi" }, { signal });
  await calls.whileRegistering(() => expect(alert()).rejects.toMatchObject({ code: -32002 }));
  expect(alerts).toEqual([]);
  await alert();
  expect(alerts).toEqual(["hi"]);
});

describe("the lines of its report, while it registers", () => {
  const say = async (calls: ReturnType<typeof createTestRemote>["calls"], text: string) =>
    calls.handle("diagnostic", { severity: "warning", text }, { signal });

  it("wait for its registration, and are not repeated when another process registers the same", async () => {
    const { calls, diagnostics } = createTestRemote();
    await calls.whileRegistering(async () => {
      await say(calls, "a");
      expect(diagnostics).toEqual([]);
    });
    expect(diagnostics).toEqual([{ severity: "warning", text: "a" }]);
    await calls.whileRegistering(async () => {
      await say(calls, "a");
      await say(calls, "b");
    });
    expect(diagnostics.map(({ text }) => text)).toEqual(["a", "b"]);
    expect(calls.takeEarly()).toEqual([]);
    await say(calls, "a"); // afterwards it may repeat itself
    expect(diagnostics.map(({ text }) => text)).toEqual(["a", "b", "a"]);
  });

  it("are shown as well where the registration fails", async () => {
    const { calls, diagnostics } = createTestRemote();
    const failing = calls.whileRegistering(async () => {
      await say(calls, "a");
      throw new Error("oh");
    });
    await expect(failing).rejects.toThrow("oh");
    expect(diagnostics.map(({ text }) => text)).toEqual(["a"]);
  });

  it("are counted: the 61st is left out, and the last that waits says so", async () => {
    const { calls, diagnostics } = createTestRemote();
    await calls.whileRegistering(async () => {
      for (let sent = 0; sent < 60; sent++) await say(calls, `${sent}${"x".repeat(10_000)}`);
      await expect(say(calls, "one more")).rejects.toMatchObject({ code: -32003 });
    });
    expect(diagnostics).toHaveLength(61);
    expect(diagnostics.at(-1)?.text).toContain("it sent more than 60 lines in a minute");
    expect(Math.max(...diagnostics.map(({ text }) => text.length))).toBeLessThan(1_000);
  });
});

describe("what a person is shown", () => {
  it("is at most 60 lines a minute, and the first one left out says so", async () => {
    const { calls, diagnostics } = createTestRemote();
    for (let sent = 0; sent < 60; sent++)
      await calls.handle("diagnostic", { severity: "info", text: "x" }, { signal });
    for (let sent = 0; sent < 3; sent++)
      expect(() => calls.handle("diagnostic", { severity: "info", text: "x" }, { signal })).toThrow(
        expect.objectContaining({ code: -32003 }),
      );
    expect(diagnostics.length).toBe(61);
    expect(diagnostics.at(-1)).toEqual({
      severity: "warning",
      text: "it sent more than 60 lines in a minute; the rest of this minute is dropped",
    });
  });
});
