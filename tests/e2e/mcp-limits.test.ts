// MCP servers that list without end, or hang at some moment of their start, through the real command: the session
// goes on, and what is left out, or which server hangs at which step, is said.

import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Finished } from "../support/indus.ts";
import { isRunning } from "../support/is-running.ts";
import {
  granting,
  LISTING_FLAGS,
  listingServer,
  placeOfServers,
  toolOutcomes,
} from "../support/listing-mcp-server.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { serverManifest } from "../support/odd-mcp-server.ts";
import { until } from "../support/until.ts";

interface Addon {
  readonly tools: readonly string[];
  readonly said: string;
}

/** What `indus addons` says of the one server. */
function shown({ stdout }: Finished): Addon {
  const [, tools = ""] = /^ {2}tools +(mcp__.*)$/m.exec(stdout) ?? [];
  return { tools: tools.split(", "), said: stdout.replace(/\s+/g, " ") };
}

/** How a server lists 10,000 tools, and what is said of those that are not used. */
const LONG_LISTS: readonly (readonly [how: string, page: string, said: string])[] = [
  ["in one answer", "() => ({ tools: tools(10000) })", "its server has 10000 tools; the first 200 are used"],
  [
    "on 50 pages",
    "(at = 0) => ({ tools: tools(200, at * 200), nextCursor: at < 49 ? String(Number(at) + 1) : undefined })",
    "its server has 10000 tools; the first 200 are used",
  ],
  [
    "on 100 pages",
    "(at = 0) => ({ tools: tools(100, at * 100), nextCursor: at < 99 ? String(Number(at) + 1) : undefined })",
    "its server has at least 6400 tools; the first 200 are used",
  ],
];

describe("a list of tools", () => {
  it.each(rows(LONG_LISTS, theFirst))(
    "of 10,000 %s costs those behind the first 200, which is said at each start",
    async (_, page, said) => {
      const place = await placeOfServers({ srv: listingServer(page) }, { calls: ["mcp__srv__t199"] });
      const { stderr } = await place.run([...LISTING_FLAGS, ...granting("srv")]);
      expect(toolOutcomes(place)).toEqual([["ok", "t199 works"]]);
      expect(stderr.match(/^indus: .*/gm)).toEqual([expect.stringContaining(said)]);
      for (let start = 0; start < 2; start++) {
        const addon = shown(await place.run(["addons", ...granting("srv")]));
        expect([addon.tools.length, addon.tools.at(-1)]).toEqual([200, "mcp__srv__t199"]);
        expect(addon.said).toContain(said);
      }
      const [request] = place.server.requests;
      expect(request?.rawBody.length).toBeLessThan(200_000);
    },
  );

  it.each(
    rows(
      [
        [
          "that never ends",
          '(at = "0") => ({ tools: tools(1, Number(at)), nextCursor: String(Number(at) + 1) })',
          64,
        ],
        [
          "that leads back",
          '(at = "0") => ({ tools: tools(1, Number(at)), nextCursor: String((Number(at) + 1) % 3) })',
          3,
        ],
        ["that stays", '() => ({ tools: tools(2), nextCursor: "more" })', 2],
      ] as const,
      theFirst,
    ),
  )("with a cursor %s is read to there, and each tool is there once", async (how, page, count) => {
    const place = await placeOfServers({ srv: listingServer(page) }, { calls: ["mcp__srv__t0"] });
    await place.run([...LISTING_FLAGS, ...granting("srv")]);
    expect(toolOutcomes(place)).toEqual([["ok", "t0 works"]]);
    const { tools, said } = shown(await place.run(["addons", ...granting("srv")]));
    expect(tools).toEqual(Array.from({ length: count }, (_, at) => `mcp__srv__t${at}`));
    expect(said).toMatch(
      how === "that never ends" ? /list of tools has more than 64 pages/ : /points back to an earlier page/,
    );
  });

  it("whose last page has an empty cursor ends there", async () => {
    const page = '(at) => (at === "" ? process.exit(3) : { tools: tools(2), nextCursor: "" })';
    const place = await placeOfServers({ srv: listingServer(page) });
    const addons = await place.run(["addons", ...granting("srv")]);
    expect(shown(addons).tools).toEqual(["mcp__srv__t0", "mcp__srv__t1"]);
    expect(addons.stdout).not.toMatch(/^ {2}skipped/m);
  });

  it("with two tools of one name has the first one", async () => {
    const page = '() => ({ tools: [tool("a", "One."), tool("a", "Other."), tool("a", "One.")] })';
    const place = await placeOfServers({ srv: listingServer(page) });
    const { tools, said } = shown(await place.run(["addons", ...granting("srv")]));
    expect(tools).toEqual(["mcp__srv__a"]);
    expect(said).toContain("tool a: the server has already listed a different tool with this name");
  });
});

/** At which moment a server hangs, by what it does with a message, and what is said of it. */
const HANGS: Readonly<Record<string, readonly [before: string, step: string]>> = {
  first: ["return;", "initialize"],
  listing: ['if (method === "tools/list") return;', "tools/list"],
  paging: ['if (params?.cursor === "1") return;', "tools/list \\(page 2\\)"],
};
const PAGES = '(at) => ({ tools: tools(1), nextCursor: at === undefined ? "1" : undefined })';
/** Long enough for a server to get as far as it is to get, on any machine. */
const START = "start-seconds = 15\n";

describe("a server that hangs", () => {
  it("before it answers at all is told, and the session goes on", async () => {
    const place = await placeOfServers(
      {
        hung: listingServer(PAGES, "console.error('opening the database'); return;"),
        good: listingServer("() => ({ tools: tools(1) })"),
      },
      { calls: ["mcp__good__t0"] },
    );
    place.file(
      ".indus/addons/hung/manifest.toml",
      serverManifest("hung", ["node", "server.mjs"], "start-seconds = 1\n"),
    );
    const { code, stderr } = await place.run([...LISTING_FLAGS, ...granting("hung", "good")]);
    expect([code, toolOutcomes(place)]).toEqual([0, [["ok", "t0 works"]]]);
    expect(stderr).toMatch(
      /addons\/hung: the server did not answer initialize within 1 s, which start-seconds in \[run\] sets/,
    );
  });

  it("at each later moment of its start is told with the step", {
    ...LONG_ONLY,
    timeout: 120_000,
  }, async () => {
    const sources = Object.entries(HANGS).map(
      ([id, [before]]) => [id, listingServer(PAGES, before)] as const,
    );
    const place = await placeOfServers(
      { ...Object.fromEntries(sources), good: listingServer("() => ({ tools: tools(1) })") },
      { calls: ["mcp__good__t0"], run: START },
    );
    const { code, stderr } = await place.runAlone([
      ...LISTING_FLAGS,
      ...granting(...Object.keys(HANGS), "good"),
    ]);
    expect([code, toolOutcomes(place)]).toEqual([0, [["ok", "t0 works"]]]);
    for (const [id, [, step]] of Object.entries(HANGS))
      expect(stderr).toMatch(
        new RegExp(
          `addons/${id}: the server did not answer ${step} within 15 s, which start-seconds in \\[run\\] sets`,
        ),
      );
  });

  it("when it is asked for its prompts has its tools all the same", {
    ...LONG_ONLY,
    timeout: 120_000,
  }, async () => {
    const hangs = 'if (method === "prompts/list") return;';
    const place = await placeOfServers({ srv: listingServer("() => ({ tools: tools(1) })", hangs) });
    const { tools, said } = shown(await place.runAlone(["addons", ...granting("srv")]));
    expect(tools).toEqual(["mcp__srv__t0"]);
    expect(said).toContain("its prompts: the server did not answer prompts/list within 10 s");
  });

  it("at the start that a call makes fails that call", { ...LONG_ONLY, timeout: 120_000 }, async () => {
    const place = await placeOfServers({ srv: "" }, { calls: ["mcp__srv__t0"], run: START });
    const mark = join(place.cwd, "mark");
    const grants = '[[capability]]\nkind = "files"\nread = true\nreason = "x"\n';
    place.file(
      ".indus/addons/srv/manifest.toml",
      serverManifest("srv", ["node", "server.mjs"], START + grants),
    );
    const hangs = `if (method === "tools/list" && existsSync(${JSON.stringify(mark)})) return;`;
    const source = listingServer("() => ({ tools: tools(1) })", hangs);
    place.file(".indus/addons/srv/server.mjs", `import { existsSync } from "node:fs";\n${source}`);
    await place.run(["addons", ...granting("srv")]);
    place.file("mark", "");
    const { code } = await place.runAlone([...LISTING_FLAGS, ...granting("srv")]);
    expect([code, toolOutcomes(place)]).toEqual([
      0,
      [
        [
          "failed",
          expect.stringContaining("the addon srv failed: the server did not answer tools/list within 15 s"),
        ],
      ],
    ]);
  });

  it("while it asks whether anybody is there, and when it is to end, is ended with its session", async () => {
    const deaf = `process.on("SIGTERM", () => {}); process.stdin.on("end", () => {}); setInterval(() => {}, 1000);
      if (method === "tools/list") send({ id: "there", method: "ping" });`;
    const place = await placeOfServers(
      { srv: listingServer("() => ({ tools: tools(1) })", deaf) },
      { calls: ["mcp__srv__t0"] },
    );
    const { code, stderr } = await place.runAlone([...LISTING_FLAGS, ...granting("srv")]);
    expect([code, stderr.match(/^indus: .*/gm), toolOutcomes(place)]).toEqual([
      0,
      null,
      [["ok", "t0 works"]],
    ]);
    await until(() => serversOf(place.cwd).length === 0);
  });
});

/** Processes of servers in a folder. */
function serversOf(folder: string): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && isRunning(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      } catch {
        return false; // it ended meanwhile
      }
    });
}
