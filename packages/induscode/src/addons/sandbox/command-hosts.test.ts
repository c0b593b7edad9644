// `network: hosts`: what a confined command reaches through the proxy, and that it reaches nothing else, with real programs; each test
// has a twin. A table resolves the names, and public addresses are dialled at servers on this machine.

import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { rows } from "../../../../../tests/support/long-form.ts";
import { isInstalled, lacksLevel } from "../../../../../tests/support/needs.ts";
import {
  isOwnKernels,
  LANDLOCKS,
  levelOf,
  sandboxAt,
  strongAt,
  type TestedLevel,
} from "../../../../../tests/support/test-levels.ts";
import { createHostRules } from "../../deck/permissions/host-rules.ts";
import { parseRule } from "../../deck/permissions/rules.ts";
import { confineCommands } from "./command-sandbox.ts";
import type { NamedHosts } from "./hosts/command-proxies.ts";

const PUBLIC = "93.184.216.34";
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  "good.example": [PUBLIC],
  "below.good.example": [PUBLIC],
  "private.example": ["10.0.0.1"],
  "mixed.example": [PUBLIC, "127.0.0.1"],
  "denied.example": [PUBLIC],
  "asked.example": [PUBLIC],
  "by-rule.example": [PUBLIC],
};

/** Prints each outcome as JSON: the response, or the error. */
const TRIES = `
import { request } from "node:http";
import { connect } from "node:net";
const [tries, port] = JSON.parse(process.argv[2]);
const text = async (url) => { const answer = await fetch(url); return answer.status + " " + (await answer.text()); };
const viaConnect = (where) => new Promise((resolve, reject) => {
  const { hostname, port } = new URL(process.env.HTTPS_PROXY ?? "http://127.0.0.1:1");
  const asked = request({ host: hostname, port, method: "CONNECT", path: where });
  asked.on("error", reject).on("connect", (answer, socket, head) => {
    let said = String(head);
    socket.on("data", (part) => { said += part; }).on("error", reject);
    socket.on("end", () => resolve(answer.statusCode + " " + said.split("\\r\\n\\r\\n").at(-1)));
    if (answer.statusCode === 200) socket.write("GET / HTTP/1.1\\r\\nhost: inside\\r\\nconnection: close\\r\\n\\r\\n");
  }).end();
});
const direct = (to) => new Promise((resolve, reject) => {
  connect({ host: "127.0.0.1", port: to }, () => resolve("connected")).on("error", reject);
});
const outcomes = {};
for (const [kind, where] of tries)
  outcomes[kind + " " + where] = await (kind === "fetch" ? text(where) : kind === "connect" ? viaConnect(where) : direct(port))
    .catch((error) => String(error.cause?.code ?? error.code ?? error.message));
process.stdout.write(JSON.stringify(outcomes), () => process.exit(0));
`;

interface Reached {
  readonly outcomes: Readonly<Record<string, string>>;
  readonly note: string;
  readonly told: readonly string[];
  readonly dialled: readonly string[];
  readonly stdout: string;
}

interface Scene {
  readonly level?: TestedLevel;
  readonly network?: "off" | "on" | "hosts";
  readonly lookup?: NamedHosts["lookup"];
  readonly refusal?: NamedHosts["refusal"];
  readonly line?: string;
  /** What answers allow; `to`: the command runs in the shell of this host. */
  readonly isAny?: NamedHosts["isAny"];
  readonly mayGrant?: NamedHosts["mayGrant"];
  readonly to?: string;
}

const rule = (source: string) => {
  const parsed = parseRule(source);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return { ...parsed, place: "here", layer: "person" as const };
};

async function attempt(tries: readonly (readonly [string, string])[], scene: Scene = {}): Promise<Reached> {
  const { level = "bubblewrap", network = "hosts" } = scene;
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-hosts-")));
  const root = join(base, "ws");
  mkdirSync(join(base, "home"));
  mkdirSync(root);
  writeFileSync(join(root, "tries.mjs"), TRIES);
  const server = createServer((asked, answer) =>
    answer.end(`${asked.method} ${asked.headers.host} ${asked.url}`),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const told: string[] = [];
  const dialled: string[] = [];
  const policy = {
    allow: [rule("WebFetch(domain:by-rule.example)")],
    ask: [rule("webfetch(asked.example)")],
    deny: [rule("webfetch(denied.example)")],
  };
  const listed = [
    "good.example",
    "*.good.example",
    "asked.example",
    "denied.example",
    "private.example",
    "mixed.example",
    "localhost",
  ];
  const named: NamedHosts = {
    refusal: scene.refusal ?? createHostRules(policy, listed, { root, home: join(base, "home") }).refusal,
    onRefused: (line) => told.push(line),
    isAny: scene.isAny ?? (() => true),
    mayGrant: scene.mayGrant ?? (() => false),
    lookup: scene.lookup ?? (async (host) => ADDRESSES[host] ?? []),
    dial: (address, to) => {
      dialled.push(`${address}:${to}`);
      return connect({ host: "127.0.0.1", port });
    },
  };
  const strong = strongAt(level);
  if (!strong) throw new Error("the level is not there");
  const env = { PATH: `${dirname(realpathSync(process.execPath))}:/usr/bin:/bin` };
  const confined = confineCommands(strong, {
    ...{ root, personHome: join(base, "home"), env, withhold: [], isWritable: true },
    network: network === "hosts" ? named : network,
  });
  onTestFinished(async () => {
    await confined.close();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    rmSync(base, { recursive: true, force: true });
  });
  const shell = scene.to === undefined ? confined.shell : confined.shellTo(scene.to);
  if (!shell) throw new Error("no shell reaches that host");
  const line = scene.line ?? `node tries.mjs '${JSON.stringify([tries, port])}'`;
  const {
    stdout,
    stderr,
    note = "",
  } = await shell.exec(line, {
    cwd: root,
    signal: new AbortController().signal,
    timeoutMs: 60_000,
  });
  if (stdout === "") throw new Error(stderr);
  return { outcomes: scene.line === undefined ? JSON.parse(stdout) : {}, note, told, dialled, stdout };
}

const THERE = sandboxAt("bubblewrap").strong()?.level === "bubblewrap";

describe.skipIf(lacksLevel("bubblewrap", THERE))(
  "a command with network hosts, at the level bubblewrap",
  () => {
    it("is told why a named host was not reached, which many programs do not show (twin: one that is)", async () => {
      const lookup = async (host: string): Promise<readonly string[]> => {
        if (host === "good.example") throw new Error("getaddrinfo ENOTFOUND good.example");
        return ["93.184.216.34"];
      };
      const tries = [
        ["connect", "good.example:443"],
        ["connect", "a.good.example:443"],
      ] as const;
      const { note, told } = await attempt(tries, { lookup });
      const why = "good.example:443 was not reached: getaddrinfo ENOTFOUND good.example";
      expect(told).toEqual([why]);
      expect(note).toContain(why);
    });

    it("reaches named hosts by HTTP and by CONNECT, on their names, and nothing of this machine (twins: off and on)", async () => {
      const tries = [
        ["fetch", "http://good.example/a?b"],
        ["fetch", "http://below.good.example/"],
        ["fetch", "http://by-rule.example/"],
        ["connect", "good.example:443"],
        ["connect", "good.example:80"],
        ["direct", "the server"],
      ] as const;
      const { outcomes, dialled, told } = await attempt(tries);
      expect(outcomes).toEqual({
        "fetch http://good.example/a?b": "200 GET good.example /a?b",
        "fetch http://below.good.example/": "200 GET below.good.example /",
        "fetch http://by-rule.example/": "200 GET by-rule.example /",
        "connect good.example:443": "200 GET inside /",
        "connect good.example:80": "200 GET inside /",
        "direct the server": "ECONNREFUSED",
      });
      expect(dialled).toEqual([...[80, 80, 80, 443, 80].map((port) => `${PUBLIC}:${port}`)]);
      expect(told).toEqual([]);
      const off = await attempt(tries, { network: "off" });
      expect(Object.values(off.outcomes).filter((each) => /^200|connected/.test(each))).toEqual([]);
      const on = await attempt([["direct", "the server"]], { network: "on" });
      expect(on.outcomes).toEqual({ "direct the server": "connected" });
    });

    it.each(
      rows(
        [
          [
            "fetch",
            "http://other.example/",
            "other.example:80",
            "the setting networkHosts does not list it, and no rule WebFetch(domain:other.example) allows it",
          ],
          ["connect", "other.example:443", "other.example:443", "the setting networkHosts does not list it"],
          [
            "fetch",
            "http://denied.example/",
            "denied.example:80",
            'the rule "webfetch(denied.example)" applies to it',
          ],
          [
            "fetch",
            "http://asked.example/",
            "asked.example:80",
            'the rule "webfetch(asked.example)" applies to it',
          ],
          [
            "connect",
            "private.example:443",
            "private.example:443",
            "it has the address 10.0.0.1, which is not public",
          ],
          [
            "connect",
            "mixed.example:443",
            "mixed.example:443",
            "it has the address 127.0.0.1, which is not public",
          ],
          ["connect", "localhost:443", "localhost:443", "it has the address 127.0.0.1, which is not public"],
          ["connect", "93.184.216.34:443", "93.184.216.34:443", "it is an IP address"],
          ["connect", "2130706433:443", "127.0.0.1:443", "it is an IP address"],
          ["connect", "[::1]:443", "::1:443", "it is an IP address"],
          ["connect", "good.example:22", "good.example:22", "only the ports 80 and 443 are allowed"],
          ["connect", "good.example", "good.example:?", "only the ports 80 and 443 are allowed"],
        ],
        (_, at) => at % 3 === 0,
      ),
    )("is refused by %s %s, and the person and the model read why", async (kind, where, what, why) => {
      const { outcomes, note, told, dialled } = await attempt([[kind, where]]);
      expect(Object.values(outcomes)[0]).toMatch(new RegExp(`^403 .*${kind === "fetch" ? "indus: " : ""}`));
      expect(told).toEqual([expect.stringContaining(`${what} is refused: ${why}`)]);
      expect(note).toContain(`sandbox: ${told[0]}.`);
      expect(dialled).toEqual([]);
    });

    it("passes where nothing is refused and every name is public: the twin of the refusals of names and addresses", async () => {
      const { outcomes, dialled } = await attempt(
        [
          ["fetch", "http://other.example/"],
          ["connect", "private.example:443"],
        ],
        { refusal: () => undefined, lookup: async () => [PUBLIC] },
      );
      expect(Object.values(outcomes).map((each) => each.slice(0, 3))).toEqual(["200", "200"]);
      expect(dialled).toEqual([`${PUBLIC}:80`, `${PUBLIC}:443`]);
    });

    it("asks for a name once a connection, and dials what it looked at: a name that rebinds reaches nothing private", async () => {
      const answers = [[PUBLIC], ["127.0.0.1"], ["127.0.0.1"]];
      const { outcomes, dialled } = await attempt(
        [
          ["connect", "good.example:443"],
          ["connect", "good.example:443"],
        ],
        { lookup: async () => answers.shift() ?? [] },
      );
      expect(Object.values(outcomes)).toEqual([expect.stringMatching(/^403/)]); // the second one, under the same name
      expect(dialled).toEqual([`${PUBLIC}:443`]);
    });

    const BOTH = [
      ["fetch", "http://by-rule.example/"],
      ["fetch", "http://other.example/"],
      ["direct", "the server"],
    ] as const;

    it("reaches nothing before an answer names a host (twin: the answer is there)", async () => {
      const before = await attempt(BOTH, { isAny: () => false });
      expect(Object.values(before.outcomes).filter((each) => /^\d|connected/.test(each))).toEqual([]);
      expect(before.told).toEqual([]); // there is no proxy that could refuse
      const { outcomes, dialled } = await attempt(BOTH);
      expect(Object.values(outcomes).map((each) => each.slice(0, 3))).toEqual(["200", "403", "ECO"]);
      expect(dialled).toEqual([`${PUBLIC}:80`]);
    });

    it("reaches the host of an answer to this command, and no other that was not named (twin: another answer)", async () => {
      const mayGrant = (host: string): boolean => host === "other.example";
      const refusal = (): string => "nobody named it";
      const lookup = async (): Promise<readonly string[]> => [PUBLIC];
      const given = { isAny: () => false, mayGrant, refusal, lookup };
      const { outcomes, told } = await attempt(BOTH, { ...given, to: "other.example" });
      expect(Object.values(outcomes).map((each) => each.slice(0, 3))).toEqual(["403", "200", "ECO"]);
      expect(told).toEqual(["by-rule.example:80 is refused: nobody named it"]);
      await expect(attempt(BOTH, { ...given, to: "by-rule.example" })).rejects.toThrow("no shell reaches");
      const twin = await attempt(BOTH, { ...given, mayGrant: () => true, to: "by-rule.example" });
      expect(Object.values(twin.outcomes).map((each) => each.slice(0, 3))).toEqual(["200", "403", "ECO"]);
    });

    it("reaches no private address by an answer", async () => {
      const { outcomes, dialled } = await attempt([["fetch", "http://private.example/"]], {
        mayGrant: () => true,
        to: "private.example",
      });
      expect(Object.values(outcomes)[0]).toMatch(/^403 .*not public/);
      expect(dialled).toEqual([]);
    });

    it.skipIf(!isInstalled("curl"))(
      "is found by curl and its like through the variables, and ends as the command ends",
      async () => {
        const line =
          "curl -s http://good.example/x; curl -s -o /dev/null -w '%{http_code}' http://other.example/; (exit 7); echo \" $?\"";
        const { stdout } = await attempt([], { line });
        expect(stdout).toBe("GET good.example /x403 7\n");
      },
    );
  },
);

describe.each(rows(LANDLOCKS, isOwnKernels))("a command with network hosts, at the level %s", (level) => {
  const isThere = strongAt(level)?.level === levelOf(level);
  it.skipIf(lacksLevel(levelOf(level), isThere))(
    "reaches nothing: ports are no hosts (twin: on reaches the server)",
    async () => {
      const tries = [
        ["fetch", "http://good.example/"],
        ["direct", "the server"],
      ] as const;
      const { outcomes } = await attempt(tries, { level });
      expect(Object.values(outcomes).filter((each) => /^200|connected/.test(each))).toEqual([]);
      const on = await attempt([["direct", "the server"]], { level, network: "on" });
      expect(on.outcomes).toEqual({ "direct the server": "connected" });
    },
  );
});
