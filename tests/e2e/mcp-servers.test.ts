// MCP servers as addons, through the real command: each is confined and asked about like any other addon, and starts with the first call
// of one of its tools.

import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RunOptions, Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { MCP_PICTURE, MCP_SERVER, mcpManifest } from "../support/mcp-server.ts";
import type { ScriptedTurn } from "../support/model-server.ts";
import { lacksLevel } from "../support/needs.ts";
import { createServedShared, type ServedWorkplace } from "../support/served-workplace.ts";
import { sandboxAt } from "../support/test-levels.ts";

const hasBubblewrap = sandboxAt("bubblewrap").strong() !== undefined;

const TOKEN = "sesame-for-tickets-4711";
const HOW: RunOptions = { env: { TICKET_TOKEN: TOKEN } };
const FLAGS = [
  "-p",
  "go",
  "--model",
  "anthropic/scripted",
  "--permission-mode",
  "bypass",
  "--grant",
  "tickets",
];
const FOLDER = ".indus/addons/tickets";

const files = (part: string): string => `[[capability]]\nkind = "files"\n${part}\nreason = "x"\n`;

const NETWORK = '[[capability]]\nkind = "network"\npurpose = "x"\nhosts = ["good.invalid"]\nreason = "x"\n';

type Calls = (place: Pick<Workplace, "cwd" | "home">) => readonly (readonly [tool: string, input?: object])[];

function placeWith(calls: Calls = () => [], more?: string): Promise<ServedWorkplace> {
  return placeFor([calls], more);
}

/** For one session after the other. */
async function placeFor(sessions: readonly Calls[], more?: string): Promise<ServedWorkplace> {
  const turns: ScriptedTurn[] = [];
  const place = await createServedShared((_, at) => turns[at]);
  for (const calls of sessions) {
    for (const [name, input = {}] of calls(place)) turns.push({ text: "On it.", calls: [{ name, input }] });
    turns.push({ text: "Done." });
  }
  place.file(`${FOLDER}/manifest.toml`, mcpManifest(more));
  place.file(`${FOLDER}/server.mjs`, MCP_SERVER);
  return place;
}

/** What the model read of each call. */
async function outcomesOf(place: Workplace): Promise<readonly (readonly [string, string])[]> {
  const { stderr } = await place.run(FLAGS, HOW);
  const tools = place.entries().filter((entry) => entry.type === "tool");
  expect({ problems: place.problems(), stderr: tools.length === 0 ? stderr : "" }).toEqual({
    problems: [],
    stderr: "",
  });
  return tools.map(({ state, text }) => [state, text]);
}

const log = (place: Workplace): string => readFileSync(join(place.home, "logs/addons/tickets.log"), "utf8");

describe("an MCP server as an addon", () => {
  it("offers its tools, whose answers the model reads as text", async () => {
    const place = await placeWith(() => [
      ["mcp__tickets__say", { words: "hello" }],
      ["mcp__tickets__kinds"],
      ["mcp__tickets__figures"],
      ["mcp__tickets__has_spaces__and_a_name_that_is_far_longer_93d5d387"],
    ]);
    expect(await outcomesOf(place)).toEqual([
      ["ok", "it says hello"],
      [
        "ok",
        [
          "words",
          "[image/png of 70 bytes, shown with this result]",
          "[a picture of 3 bytes, not shown: it is not a PNG, JPEG, GIF or WebP, nor a PDF]",
          "[audio of audio/wav, 3 bytes, not shown]",
          "[notes://3: application/zip, 3 bytes, not shown]",
          "[image/png of 70 bytes, shown with this result]",
          "notes: notes://1",
          "notes://2:",
          "two",
        ].join("\n"),
      ],
      ["ok", '{"count":3}'],
      ["ok", "long"],
    ]);
    const [, , after] = place.server.requests;
    expect(after?.rawBody.split(MCP_PICTURE)).toHaveLength(3);
  });

  it("shows no picture with an error, which no provider takes, and says so", LONG_ONLY, async () => {
    const place = await placeWith(() => [["mcp__tickets__fails-in-pictures"]]);
    expect(await outcomesOf(place)).toEqual([["failed", "[image/png of 70 bytes, not shown with an error]"]]);
    expect(place.server.requests.at(-1)?.rawBody).not.toContain(MCP_PICTURE);
  });

  it("names its tools in the prompt, and describes them once, with their schemas", LONG_ONLY, async () => {
    const place = await createServedShared(() => ({ text: "Done." }));
    place.file(`${FOLDER}/manifest.toml`, mcpManifest());
    place.file(`${FOLDER}/server.mjs`, MCP_SERVER);
    await place.run(FLAGS, HOW);
    const [request] = place.server.requests;
    expect(JSON.stringify(request?.body.system)).toContain("- `mcp__tickets__say`\\n");
    expect(JSON.stringify(request?.body.system)).toContain("- `read` — Open a file");
    expect(JSON.stringify(request?.body).split("Does say.")).toHaveLength(2);
  });

  it("that may reach a host is refused with a rule that lets it pass", LONG_ONLY, async () => {
    const place = await placeWith(() => [["mcp__tickets__say", { words: "hello" }]], NETWORK);
    const flags = FLAGS.map((flag) => (flag === "bypass" ? "acceptEdits" : flag));
    const refused = await place.run(flags, HOW);
    const [, rule = ""] = /--allow '([^']+)' or/.exec(refused.stderr) ?? [];
    expect(rule).toBe("mcp__tickets__say");
    const again = await placeWith(() => [["mcp__tickets__say", { words: "hello" }]], NETWORK);
    const { code } = await again.run([...flags, "--allow", rule], HOW);
    const [call] = again.entries().filter((entry) => entry.type === "tool");
    expect([code, call?.state, call?.text]).toEqual([0, "ok", "it says hello"]);
  });

  it("is started by the first call, and not by a start that knows its tools", LONG_ONLY, async () => {
    const place = await placeWith();
    await place.run(FLAGS, HOW); // asks it once what it offers
    const before = log(place);
    const { stdout } = await place.run(["addons", "--grant", "tickets"], HOW);
    expect(stdout).toContain("mcp__tickets__say, mcp__tickets__kinds");
    expect(log(place)).toBe(before);
  });

  it("may fail a call without a fault, and ends without one of the session", LONG_ONLY, async () => {
    const refused = Array.from({ length: 4 }, () => ["mcp__tickets__refuses"] as const);
    const place = await placeWith(() => [
      ["mcp__tickets__fails"],
      ...refused,
      ["mcp__tickets__ends", { now: true }],
      ["mcp__tickets__say"],
    ]);
    const outcomes = await outcomesOf(place);
    expect(outcomes.slice(0, 5)).toEqual([
      ["failed", "no such ticket"],
      ...refused.map(() => ["failed", expect.stringContaining("the argument is wrong")]),
    ]);
    expect(outcomes.slice(5)).toEqual([
      [
        "failed",
        expect.stringMatching(/addon tickets failed: the server ended with code 9: .*asked: tools\/call$/),
      ],
      ["ok", "it says undefined"],
    ]);
  });

  it(
    "that has more tools when it is started for a call runs it, and the next start offers all",
    LONG_ONLY,
    async () => {
      const place = await placeWith(() => [["mcp__tickets__say"]]);
      const manifest = place.file(`${FOLDER}/manifest.toml`, mcpManifest(files("read = true")));
      const mark = join(place.cwd, "added");
      writeFileSync(manifest, readFileSync(manifest, "utf8").replace('"changed"', JSON.stringify(mark)));
      await place.run(["addons", "--grant", "tickets"], HOW);
      writeFileSync(mark, "");
      expect(await outcomesOf(place)).toEqual([["ok", "it says undefined"]]);
      expect((await place.run(["addons", "--grant", "tickets"], HOW)).stdout).toContain(
        "mcp__tickets__added",
      );
    },
  );
});

it("has its resources listed and read, and what it refuses is for the model to read", async () => {
  const place = await placeWith(() => [
    ["mcp__tickets__list_resources"],
    ["mcp__tickets__list_resources", { contains: "NOTES" }],
    ["mcp__tickets__list_resources", { contains: "x9" }],
    ["mcp__tickets__read_resource", { uri: "notes://1" }],
    ["mcp__tickets__read_resource", { uri: "notes://2" }],
  ]);
  const notes = "notes://1 - notes (text/plain): What was said.";
  expect(await outcomesOf(place)).toEqual([
    ["ok", `${notes}\nfile:///other - other\n(an entry that is not a resource)\nnotes://{day} - a day`],
    ["ok", `${notes}\nnotes://{day} - a day`],
    ["ok", 'None contains "x9".'],
    ["ok", "notes://1:\nbuy milk\n[notes://1: application/zip, 3 bytes, not shown]"],
    ["failed", expect.stringContaining("no such resource")],
  ]);
});

it.each(
  rows(
    [
      ["7", '{"ticket":"7"}'],
      ['"seven of nine" kind and short', '{"ticket":"seven of nine","tone":"kind and short"}'],
      ["7 kind", '{"ticket":"7","tone":"kind"}'],
    ],
    theFirst,
  ),
)("offers its prompts as commands, with arguments by their order: %s", async (typed, args) => {
  const place = await createServedShared(() => ({ text: "Done." }));
  place.file(`${FOLDER}/manifest.toml`, mcpManifest());
  place.file(`${FOLDER}/server.mjs`, MCP_SERVER.replace("prompts: [", "prompts: [5,"));
  const name = /mcp__tickets__review_[0-9a-f]{8}|mcp__tickets__review/;
  const { stdout } = await place.run(["addons", "--grant", "tickets"], HOW);
  expect(stdout).toMatch(name);
  expect(stdout.replace(/\s+/g, " ")).toContain("number 1 of the server");
  const flags = FLAGS.map((flag) => (flag === "go" ? `/${name.exec(stdout)?.[0]} ${typed}` : flag));
  await place.run(flags, HOW);
  const [line] = place.entries().filter((entry) => entry.type === "user");
  expect(JSON.stringify(line)).toContain(JSON.stringify(`Review ${args}\n\n(As the assistant:) I begin.`));
});

it("says which argument of a prompt is missing, and sends nothing", LONG_ONLY, async () => {
  const place = await createServedShared(() => ({ text: "Done." }));
  place.file(`${FOLDER}/manifest.toml`, mcpManifest());
  place.file(`${FOLDER}/server.mjs`, MCP_SERVER);
  const flags = FLAGS.map((flag) => (flag === "go" ? "/mcp__tickets__review" : flag));
  const { stdout, stderr } = await place.run(flags, HOW);
  expect(stdout + stderr).toContain("ticket is missing. Usage: <ticket> [tone]");
  expect(place.server.requests).toEqual([]);
});

it("has its tools even if it cannot say which prompts it has, which is said", LONG_ONLY, async () => {
  const place = await placeWith(() => [["mcp__tickets__say", { words: "hello" }]]);
  const broken = MCP_SERVER.replace(
    'if (method === "prompts/list")',
    'if (method === "prompts/list") return send({ id, error: { code: 5, message: "no store" } });\n  if (false)',
  );
  place.file(`${FOLDER}/server.mjs`, broken);
  expect(await outcomesOf(place)).toEqual([["ok", "it says hello"]]);
  const { stdout } = await place.run(["addons", "--grant", "tickets"], HOW);
  expect(stdout.replace(/\s+/g, " ")).toContain("its prompts: no store");
});

describe("a slow one", () => {
  const slowly = (facts: object): ReturnType<Calls>[number] => [
    "mcp__tickets__slow",
    { steps: 8, ms: 500, ...facts },
  ];

  async function placeOfSlow(calls: Calls): Promise<ServedWorkplace> {
    const place = await placeWith(calls);
    const manifest = mcpManifest().replace("[run]\n", "[run]\ncall-seconds = 2\n");
    place.file(`${FOLDER}/manifest.toml`, manifest);
    return place;
  }

  it("goes on while it reports progress", LONG_ONLY, async () => {
    const place = await placeOfSlow(() => [slowly({ tells: true })]);
    expect(await outcomesOf(place)).toEqual([["ok", "done"]]);
  });

  it("is not put aside for it", LONG_ONLY, async () => {
    const late = slowly({ tells: false });
    const place = await placeOfSlow(() => [late, late, late, ["mcp__tickets__say", { words: "x" }]]);
    const outcomes = await outcomesOf(place);
    expect(outcomes.slice(0, 3)).toEqual(
      Array(3).fill([
        "failed",
        expect.stringContaining("the server did not answer within 2 s, which call-seconds in [run] sets"),
      ]),
    );
    expect(outcomes.at(-1)).toEqual(["ok", "it says x"]);
  });
});

describe("it is confined", () => {
  it("reads neither the home nor the workspace, and reaches no network, unless that was granted", async () => {
    const tries: Calls = ({ cwd, home }) => [
      ["mcp__tickets__reads", { path: join(cwd, "notes.txt") }],
      ["mcp__tickets__reads", { path: join(home, "settings.json") }],
      ["mcp__tickets__asks", { url: "http://other.invalid/" }],
    ];
    const closed = await placeWith(tries);
    closed.file("notes.txt", "seen");
    expect((await outcomesOf(closed)).map(([, text]) => text)).toEqual([
      expect.stringMatching(/ENOENT|EACCES/),
      expect.stringMatching(/ENOENT|EACCES/),
      expect.stringMatching(/EPERM|EACCES|EAI_AGAIN/),
    ]);
    // The twin: the same calls, with a grant.
    const open = await placeWith(tries, files("read = true"));
    open.file("notes.txt", "seen");
    expect((await outcomesOf(open)).map(([, text]) => text).slice(0, 2)).toEqual([
      "seen",
      expect.stringMatching(/ENOENT|EACCES/),
    ]);
  });

  it.skipIf(lacksLevel("bubblewrap", hasBubblewrap))(
    "reaches no host but those that were granted",
    LONG_ONLY,
    async () => {
      const place = await placeWith(
        () => [["mcp__tickets__asks", { url: "http://other.invalid/" }]],
        NETWORK,
      );
      expect(await outcomesOf(place)).toEqual([
        ["ok", expect.stringContaining("403 indus: other.invalid:80 is refused: it was not granted")],
      ]);
      expect(log(place)).toContain("other.invalid:80 is refused: it was not granted");
    },
  );

  it("has the secrets that it was granted, which nobody sees", async () => {
    const place = await placeWith(() => [["mcp__tickets__token"]]);
    const hidden = "[secret TICKET_TOKEN]";
    expect(await outcomesOf(place)).toEqual([["ok", `the token is ${hidden}, Bearer ${hidden}`]]);
    expect(readFileSync(place.logs().at(-1) ?? "", "utf8")).not.toContain(TOKEN);
  });

  it("does not start without them", LONG_ONLY, async () => {
    const place = await placeWith();
    const { stdout } = await place.run(["addons", "--grant", "tickets"]);
    expect(stdout).toMatch(/tickets +.*not installed|it is not set in the environment/);
  });

  it("does nothing untrusted", async () => {
    const place = await placeWith();
    expect((await place.run(["addons"], HOW)).stdout).toContain("is not trusted yet");
    expect(() => log(place)).toThrow("ENOENT");
  });
});

describe("the folder of its own", () => {
  const keeps = (words: string): ReturnType<Calls>[number] => [
    "mcp__tickets__keeps",
    { name: "kept", words },
  ];
  const ofTickets = (home: string): string => {
    const [name = ""] = readdirSync(join(home, "state"));
    return join(home, "state", name);
  };

  it("is its home, for itself alone, and lasts from one session to the next", async () => {
    const place = await placeFor([() => [keeps("one "), ["mcp__tickets__folders"]], () => [keeps("two")]]);
    const first = await outcomesOf(place);
    const folder = ofTickets(place.home);
    expect(first).toEqual([
      ["ok", "one "],
      [
        "ok",
        `HOME=${folder} XDG_CACHE_HOME=${folder}/.cache XDG_CONFIG_HOME=${folder}/.config XDG_DATA_HOME=${folder}/.local/share XDG_STATE_HOME=${folder}/.local/state`,
      ],
    ]);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, "..")).mode & 0o777]).toEqual([
      0o700, 0o700,
    ]);
    expect(await outcomesOf(place)).toEqual([["ok", "one two"]]);
  });

  it("is not there where nothing may be written, which its log says", LONG_ONLY, async () => {
    const place = await placeWith(() => [keeps("one")]);
    const flags = FLAGS.map((flag) => (flag === "bypass" ? "read-only" : flag));
    await place.run([...flags, "--allow", "mcp__tickets__keeps"], HOW);
    const [call] = place.entries().filter((entry) => entry.type === "tool");
    expect(call?.text).toContain("ENOENT");
    expect(log(place)).toContain("the permission mode is read-only: its server has no folder of its own");
    expect(existsSync(join(place.home, "state"))).toBe(false);
  });

  it("has links that lead nowhere", LONG_ONLY, async () => {
    const place = await placeWith(({ home, cwd }) => [
      ["mcp__tickets__links", { name: "settings", to: join(home, "settings.json") }],
      ["mcp__tickets__links", { name: "notes", to: join(cwd, "notes.txt") }],
      ["mcp__tickets__opens", { name: "settings" }],
      ["mcp__tickets__opens", { name: "notes" }],
    ]);
    place.file("notes.txt", "x");
    expect((await outcomesOf(place)).slice(2)).toEqual([
      ["ok", expect.stringMatching(/ENOENT|EACCES/)],
      ["ok", expect.stringMatching(/ENOENT|EACCES/)],
    ]);
    // The twin: who follows them outside of the sandbox gets there.
    const folder = ofTickets(place.home);
    for (const name of ["settings", "notes"]) closeSync(openSync(join(folder, name), "r+"));
  });

  it("is not taken from elsewhere if a link is in its place", async () => {
    const place = await placeFor([() => [keeps("one")], () => [keeps("two")]], files("read = true"));
    await outcomesOf(place);
    const folder = ofTickets(place.home);
    renameSync(folder, `${folder}.away`);
    symlinkSync(place.cwd, folder);
    expect(await outcomesOf(place)).toEqual([
      ["failed", expect.stringContaining("expected the folder that the MCP server keeps, found a link")],
    ]);
    expect(existsSync(join(place.cwd, "kept"))).toBe(false);
  });
});

describe("one from another agent's file", () => {
  it("comes without the secrets that are written out there, and everything else that is lost is said", async () => {
    const place = await placeWith();
    const theirs = {
      command: "node",
      args: ["x.js"],
      disabled: true,
      timeout: 60_000,
      env: { A: `\${K:-d}`, GITHUB_TOKEN: TOKEN },
    };
    place.file("theirs.json", JSON.stringify({ mcpServers: { github: theirs } }));
    const { stdout, code } = await place.run(["addon", "import", "theirs.json", "github"]);
    expect(code).toBe(0);
    expect(stdout.match(/^note: .*$/gm)).toEqual([
      expect.stringMatching(
        /^note: A: K is read from your environment when the server starts; without it, it is "d"/,
      ),
      expect.stringMatching(/^note: the value of GITHUB_TOKEN may be a secret, so it is not copied/),
      "note: x.js: copy it into the addon's folder",
      expect.stringMatching(/^note: "disabled" is not imported/),
      expect.stringMatching(/^note: "timeout" = 60000 is not imported/),
    ]);
    const manifest = join(place.cwd, ".indus/addons/github/manifest.toml");
    expect(readFileSync(manifest, "utf8")).not.toContain(TOKEN);
    expect(statSync(manifest).mode & 0o077).toBe(0);
  });
});
