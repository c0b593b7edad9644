// An addon that broke too often is in quarantine, in each later session as well. What it guarded is then open, and every
// start says so; or closed, where the addon or the person said `block`; and without a required addon nothing is done.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createQuarantine } from "../../packages/induscode/src/addons/process/quarantine.ts";
import { hashAddon } from "../../packages/induscode/src/addons/source/content-hash.ts";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { needs } from "../support/needs.ts";
import { rawManifest, rawProgram } from "../support/raw-addon.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";
import { compileReply } from "../support/test-wasm.ts";

/** The files of an addon `guard` that throws in its gate and in its interceptor; with or without a word on failure. */
type Files = (blocks: boolean) => Readonly<Record<string, string | Uint8Array>>;

const REGISTRATION = {
  handlers: [{ event: "tool:before", kind: "gate" }],
  interceptors: [{ match: "bash", enter: true, exit: false }],
};
const TOML_BLOCK = 'on-failure = "block"';
const THROWS = `
import { type AddonSurface, gate } from "induscode/addons";
export function register(surface: AddonSurface): void {
  const broken = (): never => { throw new Error("it is broken"); };
  surface.on("tool:before", gate(broken));
  surface.interceptTool("bash", { enter: broken });
}
`;
const RAISES = `
from induscode.addons import GateHandler, InterceptorStage

def broken(_):
    raise ValueError("it is broken")

def register(surface):
    surface.on("tool:before", GateHandler(broken))
    surface.intercept_tool("bash", InterceptorStage(enter=broken))
`;
const ANSWERS = 'answer(id, REGISTRATION) if method == "describe" else fail(id, "it is broken")';

let wasm: Uint8Array;
beforeAll(async () => {
  const registration = JSON.stringify({ protocol: 1, ...REGISTRATION }).replaceAll('"', '\\"');
  wasm = await compileReply(
    `if (message.includes('"method":"describe"')) return result(message, "${registration}"); unreachable(); return 0;`,
  );
}, 60_000);

const KINDS: Readonly<Record<string, Files>> = {
  "TypeScript, by an export": (blocks) => ({
    "guard.ts": `${THROWS}${blocks ? 'export const onFailure = "block";\n' : ""}`,
  }),
  "TypeScript, by its block of comments": (blocks) => ({
    "guard.ts": `${blocks ? `// /// indus-addon\n// ${TOML_BLOCK}\n// ///\n` : ""}${THROWS}`,
  }),
  "Python, by a name of its module": (blocks) => ({
    "guard.py": `${RAISES}${blocks ? 'on_failure = "block"\n' : ""}`,
  }),
  "a program, by its answer to describe": (blocks) => ({
    "guard/addon.py": rawProgram(ANSWERS),
    "guard/manifest.toml": rawManifest("guard", {
      ...REGISTRATION,
      ...(blocks ? { onFailure: "block" } : {}),
    }),
  }),
  "a program, by its manifest": (blocks) => ({
    "guard/addon.py": rawProgram(ANSWERS),
    "guard/manifest.toml": rawManifest("guard", REGISTRATION, blocks ? TOML_BLOCK : ""),
  }),
  "WebAssembly, by its manifest": (blocks) => ({
    "guard/guard.wasm": wasm,
    "guard/manifest.toml": `id = "guard"\n${blocks ? TOML_BLOCK : ""}\n[run]\nwasm = "guard.wasm"\n`,
  }),
};

const SCRIPT: Script = [{ calls: [{ name: "bash", input: { command: "echo ran" } }] }, { text: "Done." }];
const FLAGS = ["--model", "anthropic/scripted", "--permission-mode", "bypass"];
const OPEN =
  /user:guard has been in quarantine since \S+Z\. Now open: the gate of tool:before, the interceptor of bash\. To run it again: indus addons restart guard\. The last fault: it broke/;
const CLOSED =
  /user:guard has been in quarantine since \S+Z\. Now closed: the gate of tool:before, the interceptor of bash\. To run it again: indus addons restart guard\./;
const REFUSAL =
  "Refused: bash was not run, because the addon guard is in quarantine; to run it again: indus addons restart guard; until then, what it guards is blocked (user:guard)";

interface Settings {
  readonly addons?: Readonly<Record<string, unknown>>;
  readonly onGateFailure?: string;
}

/** A place with the addon, which has been put in quarantine by an earlier session. */
async function placeOf(
  files: ReturnType<Files>,
  { addons = {}, ...settings }: Settings = {},
  script: Script = SCRIPT,
): Promise<Workplace & { readonly url: string }> {
  const place = await createServedShared(script);
  const folder = join(place.home, "addons");
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith(".py")) needs("python3");
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  place.settings({ localServers: [], addons: { grant: ["guard"], ...addons }, ...settings });
  const [first = ""] = Object.keys(files);
  const root = join(folder, first.split("/")[0] ?? "");
  await createQuarantine({ home: place.home }).add({
    hash: hashAddon(root),
    id: "guard",
    path: root,
    why: "it broke",
  });
  return { ...place, url: place.server.url };
}

function toolOutcome(place: Workplace): { readonly state: string; readonly text: string } {
  const [entry] = place.entries().filter(({ type }) => type === "tool");
  const { state, text } = entry as unknown as { readonly state: string; readonly text: string };
  return { state, text };
}

const kinds = rows(Object.entries(KINDS), theFirst);

describe.each(kinds)("an addon in quarantine: %s", (_, files) => {
  it("stands open, and the start and `indus addons` say what is", async () => {
    const place = await placeOf(files(false));
    const { code, stdout, stderr } = await place.run(["-p", "go", ...FLAGS]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(stderr.match(new RegExp(OPEN, "g"))).toHaveLength(1);
    expect(stderr).not.toContain("it is broken");
    expect(toolOutcome(place).state).toBe("ok");
    const listed = await place.run(["addons"]);
    expect(listed.stdout).toMatch(OPEN);
    expect(listed.stdout.match(/has been in quarantine/g)).toHaveLength(1);
    expect(listed.stdout).toMatch(/^user:guard(?: \S+)? {2}in quarantine {2}/m);
    const { stdout: doctor } = await place.run(["doctor"]);
    expect(doctor).toMatch(
      /user:guard has been in quarantine since \S+Z; `indus addons` shows what is unguarded as a result/,
    );
  });

  it(
    "that declares `block` stays closed, its interceptor as well, without a fault a call",
    LONG_ONLY,
    async () => {
      const place = await placeOf(files(true));
      const { code, stderr } = await place.run(["-p", "go", ...FLAGS]);
      expect(code).toBe(0);
      expect(stderr.match(new RegExp(CLOSED, "g"))).toHaveLength(1);
      expect(stderr).not.toMatch(/failed at|Now open/);
      expect(toolOutcome(place)).toEqual({ state: "refused", text: REFUSAL });
    },
  );
});

describe("what is open because of a quarantine", () => {
  const files = KINDS["TypeScript, by an export"] as Files;

  it("is said by every way to start: --json, and the console with /addons", LONG_ONLY, async () => {
    const place = await placeOf(files(false));
    const json = await place.run(["--json", "go", ...FLAGS]);
    expect(json.code).toBe(0);
    expect(json.stderr).toMatch(OPEN);
    const terminal = openTerminal({ console: "plain", place, url: place.url, args: FLAGS, columns: 400 });
    await terminal.waitFor(OPEN);
    await terminal.waitFor(/\n› ?$/);
    terminal.type("/addons\r");
    await terminal.waitFor(/user:guard {2}quarantined\n.+Now open: .+\n/);
    terminal.type("/quit\r");
    expect(await terminal.left).toBe(0);
  });

  it(
    "is closed where the person's settings close every gate that fails; the interceptor is not one",
    LONG_ONLY,
    async () => {
      const place = await placeOf(files(false), { onGateFailure: "block" });
      const { stderr } = await place.run(["-p", "go", ...FLAGS]);
      expect(stderr).toMatch(/Now open: the interceptor of bash\. Now closed: the gate of tool:before\./);
      expect(toolOutcome(place)).toEqual({ state: "refused", text: REFUSAL });
    },
  );

  it("is said in the session in which the addon goes there", LONG_ONLY, async () => {
    const turns: Script = [...Array(4).fill(SCRIPT[0]), { text: "Done." }];
    const place = await placeOf(files(false), {}, turns);
    rmSync(join(place.home, "quarantine.json"));
    const { stderr } = await place.run(["-p", "go", ...FLAGS]);
    expect(stderr).toMatch(
      /the addon guard is in quarantine after 3 handler faults in five minutes\. Now open: the gate of tool:before, the interceptor of bash\. To run it again: indus addons restart guard\. The last fault: it is broken/,
    );
  });

  it("is nothing once the addon is let out", LONG_ONLY, async () => {
    const place = await placeOf(files(false));
    expect((await place.run(["addons", "restart", "guard"])).code).toBe(0);
    const { stderr } = await place.run(["-p", "go", ...FLAGS]);
    expect(stderr).not.toContain("quarantine since");
    expect(stderr).toContain("user:guard failed at tool:before: it is broken");
  });
});

describe("a required addon", () => {
  const files = KINDS["TypeScript, by an export"] as Files;
  const required = { addons: { required: ["guard"] } };
  const LACKING =
    'indus: the addon "guard" is required (addons.required in your settings) but does not run: ';

  /** Nothing was asked of the model, and no session was begun. */
  async function refuses(
    place: Workplace,
    why: RegExp,
    ways: readonly (readonly string[])[] = [["-p", "go"]],
  ): Promise<void> {
    for (const args of ways) {
      const { code, stdout, stderr } = await place.run([...args, ...FLAGS], { stdin: "" });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr.startsWith(LACKING)).toBe(true);
      expect(stderr.slice(LACKING.length)).toMatch(why);
      expect(place.logs()).toEqual([]);
    }
    const listed = await place.run(["addons"]); // it starts no work, so it still helps
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining(LACKING.slice(7)) });
  }

  it("in quarantine refuses the work", async () => {
    await refuses(
      await placeOf(files(false), required),
      /has been in quarantine since .+ indus addons restart guard/,
      [["-p", "go"], ["--json", "go"], []],
    );
  });

  it("that is not there refuses the work", LONG_ONLY, async () => {
    const place = await placeOf({ "other.ts": THROWS }, required);
    await refuses(place, /no addon with this name was found\. Install it, or remove it from the setting/);
    const misspelt = await placeOf({ "Guard.ts": "export function register() {}" }, required);
    await refuses(misspelt, /no addon with this name was found\. Did you mean "Guard"\? Install it/);
    rmSync(join(place.home, "addons"), { recursive: true });
    await refuses(place, /no addon with this name was found\. Install it, or remove it from the setting/);
  });

  it("that is not trusted refuses the work", LONG_ONLY, async () => {
    const place = await placeOf(files(false), { addons: { ...required.addons, grant: [] } });
    await refuses(place, /is not trusted yet: start indus in a terminal to be asked, or pass --grant guard/);
  });

  it("that cannot be loaded refuses the work", LONG_ONLY, async () => {
    const place = await placeOf({ "guard.ts": "export function register() { process.exit(3); }" }, required);
    await refuses(place, /guard\.ts: its process exited with code 3/);
  });

  it("of which a part is left out refuses the work", LONG_ONLY, async () => {
    const tool = '{ name: "read", description: "x", parameters: { type: "object" }, run: () => "x" }';
    const place = await placeOf(
      {
        "guard.ts": `export function register(s) { s.addTool(${tool}); s.on("tool:before", { kind: "gate", run: () => undefined }); }`,
      },
      required,
    );
    rmSync(join(place.home, "quarantine.json"));
    await refuses(place, /a part of it was skipped: tool read: the tool name "read" is taken/);
  });

  it.each(
    rows(
      [
        ["", (_: Workplace) => ["-p", "go"]],
        [", while it is developed", ({ home }: Workplace) => ["addon", "dev", join(home, "addons/guard.ts")]],
      ],
      theFirst,
    ),
  )("that fails once stops that call, and in quarantine all that follows%s", async (_, args) => {
    const turns: Script = [...Array(4).fill(SCRIPT[0]), { text: "Done." }];
    const place = await placeOf(files(false), required, turns);
    rmSync(join(place.home, "quarantine.json"));
    const { code, stdout } = await place.run([...args(place), ...FLAGS], { stdin: "go\n" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("Done.\n") });
    const texts = place
      .entries()
      .filter(({ type }) => type === "tool")
      .map((entry) =>
        (entry as unknown as { readonly text: string }).text.replace(/\n\[This call has failed.*/, ""),
      );
    expect(texts).toEqual([
      ...Array(3).fill(
        "Refused: bash was not run, because the gate of user:guard failed, and it blocks on failure (user:guard)",
      ),
      expect.stringMatching(
        /^Refused: bash was not run, because it is required \(addons\.required\): user:guard (?:is|has been) in quarantine/,
      ),
    ]);
  });

  it("that runs is no obstacle (the twin)", LONG_ONLY, async () => {
    const place = await placeOf(
      {
        "guard.ts":
          'export function register(s) { s.on("tool:before", { kind: "gate", run: () => undefined }); }',
      },
      { addons: { required: ["user:guard"] } },
    );
    rmSync(join(place.home, "quarantine.json"));
    const { code } = await place.run(["-p", "go", ...FLAGS]);
    expect(code).toBe(0);
    expect(toolOutcome(place).state).toBe("ok");
  });

  it("cannot be named by a repository", async () => {
    const place = await createServedShared(SCRIPT);
    place.file(".indus/settings.json", '{"addons":{"required":["nothing"]}}');
    const { code, stderr } = await place.run(["-p", "go", ...FLAGS]);
    expect(code).toBe(0);
    expect(stderr).toContain('"addons" is ignored: a repository may only add permissions');
  });
});
