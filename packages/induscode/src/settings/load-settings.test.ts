import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { PARTS } from "../boot/parts.ts";
import type { Flags } from "../cli/flags.ts";
import { PERMISSION_MODES } from "../deck/permissions/modes.ts";
import { createPermissions } from "../deck/permissions/permissions.ts";
import { heldBack } from "../session/permissions/mode-limits.ts";
import { readRules } from "../session/permissions/permission-policy.ts";
import { loadSettings } from "./load-settings.ts";
import { settingsOf } from "./table.ts";

let home: string;
let cwd: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "indus-home-"));
  cwd = mkdtempSync(join(tmpdir(), "indus-cwd-"));
  mkdirSync(join(cwd, ".indus"));
});
const own = (text: string): void => writeFileSync(join(home, "settings.json"), text);
const project = (text: string): void => writeFileSync(join(cwd, ".indus", "settings.json"), text);

describe("the settings of whoever manages the machine", () => {
  const managed = async (value: unknown, flags: Flags = {}) => {
    const managedPath = join(home, "managed.json");
    writeFileSync(managedPath, typeof value === "string" ? value : JSON.stringify(value));
    const loaded = await loadSettings(home, cwd, PARTS, { managedPath });
    const notices: string[] = [];
    return { managedPath, loaded, notices, read: () => readRules(flags, loaded, notices) };
  };

  it.each([
    ["acceptEdits", ["auto", "bypass"]],
    ["ask", ["acceptEdits", "auto", "bypass"]],
    ["plan", ["ask", "acceptEdits", "auto", "bypass"]],
    ["bypass", []], // the twin: then only the person's own choice counts
  ] as const)("hold back each switch in a session, too, and are named: %s", async (mode, held) => {
    own('{"permissions": {"mode": "bypass"}}');
    const { managedPath, read } = await managed({ permissions: { mode } });
    const { limits } = read();
    for (const each of PERMISSION_MODES) {
      const why = held.some((one) => one === each)
        ? `${managedPath} does not permit a wider mode`
        : undefined;
      expect([each, heldBack(each, limits)]).toEqual([each, why]);
    }
  });

  it("hold for everybody: a rule that denies comes first, and nobody gets a wider mode", async () => {
    own('{"permissions": {"mode": "bypass", "allow": ["bash(git push)"]}}');
    const { managedPath, loaded, notices, read } = await managed(
      { permissions: { mode: "acceptEdits", deny: ["bash(git push)"] }, model: "a/b" },
      { "permission-mode": "bypass", allow: ["*"] },
    );
    const { mode, rules } = read();
    expect([mode, notices]).toEqual([
      "acceptEdits",
      [`the permission mode is acceptEdits: ${managedPath} does not permit a wider mode`],
    ]);
    expect(loaded.problems).toEqual([
      `${managedPath}: "model" is ignored: only permissions and addons.requireSandbox are managed`,
    ]);
    const of = (list: string) =>
      rules.filter((each) => each.list === list).map(({ rule, place, layer }) => ({ ...rule, place, layer }));
    const permissions = createPermissions({
      policy: { mode, allow: of("allow"), ask: of("ask"), deny: of("deny") },
      root: cwd,
      realPath: async (path) => path,
    });
    const push = { kind: "execute", command: "git push", cwd } as const;
    expect(await permissions.explain({ tool: "bash", accesses: [push] })).toMatchObject({
      outcome: "deny",
      rulings: [{ rule: "bash(git push)", layer: "managed", place: `${managedPath}: permissions.deny` }],
    });
  });

  it("may be narrowed by anybody (twin: without them the wider mode holds)", async () => {
    expect(
      (await managed({ permissions: { mode: "auto" } }, { "permission-mode": "read-only" })).read().mode,
    ).toBe("read-only");
    expect((await managed({}, { "permission-mode": "bypass" })).read().mode).toBe("bypass");
  });

  it("narrow the mode that nobody chose without a word, unless to read-only", async () => {
    const byDefault = async (value: unknown, flags: Flags = {}): Promise<unknown> => {
      const { read, notices } = await managed(value, flags);
      const { mode, isDefault } = read();
      return [mode, isDefault, notices.length];
    };
    expect(await byDefault({})).toEqual(["auto", true, 0]);
    expect(await byDefault({ permissions: { mode: "auto" } })).toEqual(["auto", true, 0]);
    expect(await byDefault({ permissions: { mode: "acceptEdits" } })).toEqual(["acceptEdits", true, 0]);
    expect(await byDefault({ permissions: { mode: "read-only" } })).toEqual(["read-only", false, 1]);
    expect(await byDefault({}, { sandbox: "off" })).toEqual(["acceptEdits", true, 0]);
    expect(await byDefault({}, { "permission-mode": "plan" })).toEqual(["auto", true, 0]);
    expect(await byDefault({}, { "permission-mode": "auto" })).toEqual(["auto", false, 0]);
  });

  it("make a plan be carried out in no wider mode; a managed `plan` is read-only", async () => {
    const modes = async (mode: string, asked: string): Promise<unknown> => {
      const { read } = await managed({ permissions: { mode } }, { "permission-mode": asked });
      const { mode: inForce, startsPlanning } = read();
      return [inForce, startsPlanning];
    };
    expect(await modes("acceptEdits", "plan")).toEqual(["acceptEdits", true]);
    expect(await modes("read-only", "plan")).toEqual(["read-only", true]);
    expect(await modes("plan", "bypass")).toEqual(["read-only", false]);
    expect(await modes("bypass", "auto")).toEqual(["auto", false]); // the counterpart: nothing is narrowed
  });

  it("end the start where they cannot be read", async () => {
    for (const broken of [
      '{ "permissions": { "deny": ["bash" ',
      '{ "permissions": 3 }',
      '{ "permisions": {} }',
    ]) {
      const { read } = await managed(broken);
      expect(read).toThrow("No session and no addon starts until indus can read what it refuses");
    }
  });
});

describe("loadSettings", () => {
  it("is empty and silent without files", async () => {
    expect(await loadSettings(home, cwd, PARTS)).toEqual({
      settings: { permissions: { ask: [], deny: [] } },
      table: settingsOf(PARTS),
      problems: [],
      rules: [],
      narrowed: {},
      unsafe: [],
    });
  });

  it("names the place of a mistake and reads the rest; a repository's file without a rule stops nobody", async () => {
    own('{\n  "model": "anthropic/x",\n  "maxTurns": 5 5\n}');
    const { settings, problems } = await loadSettings(home, cwd, PARTS);
    expect(settings).toMatchObject({ model: "anthropic/x", maxTurns: 5 });
    expect(problems).toEqual([expect.stringContaining("settings.json, line 3, column 17: ")]);
    own("{}");
    project('{ "model": "anthropic/x", 5 }');
    expect(await loadSettings(home, cwd, PARTS)).toMatchObject({
      problems: [
        expect.stringMatching(/line 1, column 27: .*; the readable rest is used$/),
        expect.stringContaining('"model" is ignored'),
      ],
      unsafe: [],
    });
  });

  it("takes comments and trailing commas", async () => {
    own('{ // mine\n "model": "openai/y", }');
    expect(await loadSettings(home, cwd, PARTS)).toMatchObject({
      settings: { model: "openai/y" },
      problems: [],
    });
  });

  it("leaves out a setting of the wrong shape or name, says what was expected, keeps the others", async () => {
    own(
      '{"model": 3, "maxTurns": 0, "thinking": "high", "colour": "red", "permissions": {"mode": "yolo", "deny": ["bash"]}}',
    );
    const { settings, problems } = await loadSettings(home, cwd, PARTS);
    expect(settings).toEqual({ thinking: "high", permissions: { ask: [], deny: ["bash"] } });
    expect(problems.map((problem) => problem.slice(problem.indexOf(": ") + 2))).toEqual([
      '"model" must be a non-empty string; it is ignored',
      '"maxTurns" must be a positive whole number; it is ignored',
      '"colour" is not a setting; expected one of model, thinking, outputStyle, titleModel, fallbackModels, retryMinutes, maxTurns, maxCost, providers, localServers, respectGitignore, console, theme, statusLine, reducedMotion, vi, features, addons, unmaskedSecrets, onGateFailure, sandbox, network, networkHosts, permissions, checkpoints, memory, workItems, addonsIndex',
      '"permissions.mode" must be one of read-only, plan, ask, acceptEdits, auto, bypass; it is ignored',
    ]);
  });

  it.each(["[]", "3", '"text"', "null"])("says that %s is no object of settings", async (text) => {
    own(text);
    const { problems } = await loadSettings(home, cwd, PARTS);
    expect(problems[0]).toContain("expected an object of settings");
  });

  it("lets a repository narrow, never widen: no address, model, mode or allow rule (CVE-2026-21852)", async () => {
    const providers = '[{"id":"anthropic","kind":"anthropic","baseUrl":"http://127.0.0.1:1"}]';
    project(
      `{"providers": ${providers}, "model": "x/y", "permissions": {"mode": "bypass", "allow": ["bash"], "deny": ["read(.env)"]}}`,
    );
    const { settings, problems } = await loadSettings(home, cwd, PARTS);
    expect(settings).toEqual({ permissions: { ask: [], deny: ["read(.env)"] } });
    expect(problems.map((problem) => /"(.+?)" is ignored/.exec(problem)?.[1])).toEqual([
      "providers",
      "model",
      "permissions.mode",
      "permissions.allow",
    ]);
    // The counterpart: the same file in the home folder does change the address.
    own(`{"providers": ${providers}}`);
    expect((await loadSettings(home, cwd, PARTS)).settings.providers).toHaveLength(1);
  });

  it.each([
    ["a link to a device that never ends", () => symlinkSync("/dev/zero", join(cwd, ".indus/settings.json"))],
    ["a pipe that nobody writes to", () => execFileSync("mkfifo", [join(cwd, ".indus/settings.json")])],
    ["brackets without end", () => project("[".repeat(300_000))],
    ["more than a megabyte", () => project(`{"permissions":{"deny":["${"x".repeat(2_000_000)}"]}}`)],
  ])("is told of %s, and starts all the same", async (_what, plant) => {
    plant();
    const { settings, problems } = await loadSettings(home, cwd, PARTS);
    expect(settings).toEqual({ permissions: { ask: [], deny: [] } });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("could not be read");
  });

  it("names the first of many unknown settings and counts the others, and reads what is right behind them", async () => {
    for (const count of [21, 40_000]) {
      const many = Array.from({ length: count }, (_, at) => [`stray${at}`, at]);
      own(JSON.stringify({ ...Object.fromEntries(many), thinking: "high" }));
      const { settings, problems, unsafe } = await loadSettings(home, cwd, PARTS);
      expect(settings).toMatchObject({ thinking: "high" });
      expect(problems).toHaveLength(21);
      expect(problems.at(-1)).toContain(`settings.json: ${count - 20} more names are not settings`);
      expect(unsafe).toEqual([problems.at(-1)]); // one of them could have been there to refuse something
    }
  });

  // Each of these was there to refuse something: if it is lost, more would pass than the file says.
  it.each([
    ['{"addons": {"requird": ["guard"]}}', '"addons.requird" is not a setting', '"addons.required"?'],
    ['{"addons": {"required": "guard"}}', '"addons.required" must be a list of strings', ""],
    ['{"addons": {"requireSandbox": "yes"}}', '"addons.requireSandbox" must be true or false', ""],
    ['[{"permissions": {"deny": ["bash"]}}]', "expected an object of settings, found an array", ""],
    ['{"addons": ["guard"]}', '"addons" must be an object with grant, grantIn, requireSandbox', ""],
    ['{"deny": ["bash"]}', '"deny" is not a setting', '"permissions.deny"?'],
    ['{"required": ["guard"]}', '"required" is not a setting', '"addons.required"?'],
    ['{"onGateFailures": "block"}', '"onGateFailures" is not a setting', '"onGateFailure"?'],
    ['{"onGateFailure": "blok"}', '"onGateFailure" must be one of allow, block', ""],
    ['{"permissions": {"denyy": ["bash"]}}', '"permissions.denyy" is not a setting', '"permissions.deny"?'],
    [
      '{"permissions": {"defaultMode": "plan"}}',
      '"permissions.defaultMode" is not a setting',
      '"permissions.mode"',
    ],
    ['{"permissions": {"forbid": ["bash"]}}', '"permissions.forbid" is not a setting', ""],
    ['{"permissions": {deny: ["ls"]}}', "line 1, column 18: an unquoted word", "correct the file"],
    ['{"theme": "dark", maxCost: 0.01}', "line 1, column 19: an unquoted word", "correct the file"],
    [
      '{"permissions": {"deny": ["ls"]},\n "permissions": {"mode": "bypass"}}',
      'line 2, column 2: the name "permissions" appears twice',
      "write the name once",
    ],
    ['{} /* "sandbox": "read-only" }', "line 1, column 4: unterminated comment", "correct the file"],
  ])("starts no session with %s", async (text, problem, meant) => {
    own(text);
    const { unsafe, problems } = await loadSettings(home, cwd, PARTS);
    expect(unsafe).toEqual(problems);
    expect(unsafe[0]).toContain(problem);
    expect(unsafe[0]).toContain(meant);
  });

  it("starts no session with a file that is not UTF-8; a repository's that may refuse something is unclear", async () => {
    const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, "utf16le");
    writeFileSync(join(home, "settings.json"), utf16('{"theme": "dark"}'));
    expect((await loadSettings(home, cwd, PARTS)).unsafe[0]).toContain(
      "line 1, column 1: expected text in UTF-8, found other bytes",
    );
    own("{}");
    for (const [setting, isUnclear] of [
      ["deny", true],
      ["network", true],
      ["theme", false],
    ] as const) {
      for (const content of [
        utf16(`{"${setting}": 1}`),
        Buffer.from(`{${setting}: 1}`),
        Buffer.from(`{"${setting}": 1, "${setting}": 1}`),
      ]) {
        writeFileSync(join(cwd, ".indus", "settings.json"), content);
        const { unsafe, unclear } = await loadSettings(home, cwd, PARTS);
        expect([unsafe, unclear !== undefined]).toEqual([[], isUnclear]);
      }
    }
  });

  it.each([
    '{"addons": {"paths": ["rel/x"], "required": ["guard"]}}',
    '{"addons": {"grant": 3, "required": ["guard"]}}',
    '{"addons": {"colour": 3, "required": ["guard"]}}',
  ])("leaves out only what is wrong in %s", async (text) => {
    own(text);
    const { settings, problems, unsafe } = await loadSettings(home, cwd, PARTS);
    expect(settings.addons).toEqual({ required: ["guard"] });
    expect(problems).toHaveLength(1);
    expect(unsafe).toEqual([]);
  });

  it("follows a symlink in place of the person's files, unless it leads into the working directory or nowhere", async () => {
    const [settings, models] = ["settings.json", "models.json"].map((name) => join(home, name)) as [
      string,
      string,
    ];
    const load = async (folder: string) => {
      for (const path of [settings, models]) {
        rmSync(path, { force: true });
        symlinkSync(join(folder, "linked.json"), path);
      }
      return loadSettings(home, cwd, PARTS);
    };
    const dotfiles = mkdtempSync(join(tmpdir(), "indus-dotfiles-"));
    for (const folder of [dotfiles, cwd])
      writeFileSync(join(folder, "linked.json"), '{"aliases": {"a": "b/c"}}');
    const own = await load(dotfiles);
    expect(own.settings.aliases).toEqual({ a: "b/c" });
    expect(own.problems).toEqual([expect.stringContaining('"aliases" is not a setting')]);
    for (const [folder, problem] of [
      [cwd, "inside the working directory: files there may come from a repository"],
      [home, "a symlink whose target cannot be resolved"],
    ] as const) {
      const { unsafe, problems } = await load(folder);
      expect(unsafe).toEqual([expect.stringContaining(problem)]);
      expect(problems).toEqual([...unsafe, expect.stringContaining(problem)]);
    }
  });

  it("judges each provider by itself, by what models.json accepts, and names what is wrong", async () => {
    const [first, last] = ["first", "last"].map((id) => ({ id, kind: "anthropic", apiKeyEnv: "A_KEY" }));
    const command = { id: "c", kind: "openai-compatible", apiKey: { command: "pass show c" } };
    const bad = [{ ...first, apiKey: { command: "a | b" } }, { id: "no-kind" }, 3, { ...last, headrs: {} }];
    own(JSON.stringify({ providers: [first, ...bad, command] }));
    const { settings, problems, unsafe } = await loadSettings(home, cwd, PARTS);
    expect(settings.providers).toEqual([
      first,
      last,
      { ...command, apiKey: { command: ["pass", "show", "c"] } },
    ]);
    expect(problems.map((problem) => problem.slice(problem.indexOf(": ") + 2))).toEqual([
      expect.stringMatching(/^"providers\[1\]\.apiKey" must be \{ "command": .*; this provider is ignored$/),
      '"providers[2].kind" must be one of anthropic, openai-compatible; this provider is ignored',
      '"providers[3].id" must be a non-empty string; this provider is ignored',
      '"providers[3].kind" must be one of anthropic, openai-compatible; this provider is ignored',
      expect.stringMatching(
        /^"providers\[4\]\.headrs" is not a setting; .*; did you mean "providers\[4\]\.headers"\?$/,
      ),
    ]);
    expect(unsafe).toEqual([]);
  });

  it("takes a byte order mark, and says that a file is empty", async () => {
    own('\uFEFF{"model": "openai/y"}');
    expect(await loadSettings(home, cwd, PARTS)).toMatchObject({
      settings: { model: "openai/y" },
      problems: [],
    });
    own(" \n");
    expect((await loadSettings(home, cwd, PARTS)).problems).toEqual([
      expect.stringContaining("settings.json is empty: expected an object of settings"),
    ]);
  });

  it("says in words what is not JSON", async () => {
    own('{"model": yes}');
    expect((await loadSettings(home, cwd, PARTS)).problems).toEqual([
      expect.stringMatching(/line 1, column 11: an unquoted word .*; correct the file$/),
    ]);
  });

  it("has no prototype to pollute", async () => {
    own('{"__proto__": {"model": "evil/x"}, "constructor": 1}');
    const { settings } = await loadSettings(home, cwd, PARTS);
    expect(settings.model).toBeUndefined();
    expect(({} as { model?: string }).model).toBeUndefined();
  });
});
