import { describe, expect, it, test } from "vitest";
import type { Entry } from "../../conductor/contract.ts";
import { PERMISSION_MODES, type PermissionMode, START_MODES } from "../../deck/permissions/modes.ts";
import { createModeKeys } from "./mode-keys.ts";
import { limitsOfSession, type ModeLimit } from "./mode-limits.ts";
import { createSessionMode } from "./session-mode.ts";
import type { SandboxLevel, SessionSandbox } from "./session-sandbox.ts";

interface Start {
  readonly mode?: PermissionMode;
  readonly isDefault?: boolean;
  readonly startsPlanning?: boolean;
  readonly isByFlag?: boolean;
  readonly fromFiles?: readonly ModeLimit[];
}

function scene(
  { mode: first = "auto", fromFiles = [], ...start }: Start = {},
  ...entries: readonly object[]
) {
  const noted: string[] = [];
  const told: string[] = [];
  const said: string[] = [];
  const mode = createSessionMode({
    start: { mode: first, isDefault: false, startsPlanning: false, isByFlag: false, ...start },
    limits: limitsOfSession(first, fromFiles, "--permission-mode"),
    tell: (line) => void told.push(line),
  });
  mode.entered(entries as readonly Entry[]);
  mode.join({
    noteMode: ({ mode: to, by }) => void noted.push(`${to} by ${by}`),
    notify: (_, text) => {
      said.push(text.slice(0, 15));
      return true;
    },
  });
  return { mode, noted, told, said };
}

const MANAGED: ModeLimit = {
  widest: "acceptEdits",
  why: "/etc/indus/settings.json does not permit a wider mode",
};
const wasIn = (mode: string) => ({ type: "mode", mode, by: "person" });

describe("a switch", () => {
  it("holds from the next decision on, and is logged with who made it; one to the same mode is none", () => {
    const { mode, noted } = scene();
    expect(mode.set("ask", "person")).toBeUndefined();
    expect(mode.own()).toBe("ask");
    mode.set("ask", "person");
    mode.set("acceptEdits", "answer");
    expect([mode.chosen(), noted]).toEqual(["acceptEdits", ["ask by person", "acceptEdits by answer"]]);
  });

  it.each([
    ["what is managed", { mode: "ask", fromFiles: [MANAGED] }, ["auto", "bypass"], MANAGED.why],
    [
      "read-only at the start",
      { mode: "read-only" },
      ["ask", "acceptEdits", "auto", "bypass"],
      "--permission-mode",
    ],
    ["a start that was not in bypass", { mode: "acceptEdits" }, ["bypass"], "started in bypass"],
  ] as const)("is held back by %s, which it names; nothing is logged then", (_, start, held, why) => {
    const { mode, noted } = scene(start);
    for (const each of START_MODES)
      if (held.some((one) => one === each)) expect(mode.set(each, "person")).toContain(why);
      else expect(mode.heldBack(each)).toBeUndefined();
    expect([mode.own(), noted]).toEqual([start.mode, []]);
  });

  it("leads anywhere in a session that was started in bypass (twin)", () => {
    const { mode } = scene({ mode: "bypass" });
    for (const each of [...PERMISSION_MODES].reverse()) {
      expect(mode.set(each, "person")).toBeUndefined();
      expect(mode.set("bypass", "person")).toBeUndefined();
    }
  });
});

describe("a plan", () => {
  it("is the same state: the mode before it follows, and the model reads what the person does", () => {
    const { mode, noted, said } = scene({ mode: "acceptEdits" });
    mode.set("plan", "person");
    expect([mode.chosen(), mode.own(), mode.isPlanning()]).toEqual(["plan", "acceptEdits", true]);
    mode.endPlan("person");
    expect([mode.chosen(), said]).toEqual(["acceptEdits", ["Plan mode is on", "The person ende"]]);
    mode.set("plan", "model");
    mode.set("ask", "plan");
    expect([mode.chosen(), said.length]).toEqual(["ask", 2]); // the tools tell it themselves
    expect(noted).toEqual(["plan by person", "acceptEdits by person", "plan by model", "ask by plan"]);
  });

  it("begins a session that was started so, and each new one", () => {
    const { mode, noted } = scene({ startsPlanning: true });
    mode.endPlan("plan");
    mode.entered([]);
    expect([mode.isPlanning(), noted]).toEqual([true, ["plan by start", "auto by plan", "plan by start"]]);
  });
});

describe("a session that is continued", () => {
  it.each([
    ["a mode", [wasIn("ask")], "ask"],
    ["the last mode", [wasIn("ask"), wasIn("acceptEdits")], "acceptEdits"],
    ["a plan", [wasIn("ask"), wasIn("plan")], "plan"],
    ["a plan as earlier versions logged it", [{ type: "plan", isPlanning: true }], "plan"],
    ["a plan of the first versions", [{ type: "tool", name: "enter_plan_mode", state: "ok" }], "plan"],
    ["a plan that ended", [wasIn("plan"), { type: "tool", name: "exit_plan_mode", state: "ok" }], "auto"],
    ["no switch", [{ type: "end" }], "auto"],
  ] as const)("goes on with %s", (_, entries, mode) => {
    const { mode: session, told, noted } = scene({}, ...entries);
    expect([session.chosen(), told, noted]).toEqual([mode, [], []]);
  });

  it.each([
    ["auto", { mode: "ask" }, "ask: flags and settings do not choose a wider mode"],
    ["bypass", { mode: "auto" }, "auto: only a session that was started in bypass can be in it"],
    ["auto", { mode: "acceptEdits", fromFiles: [MANAGED] }, `acceptEdits: ${MANAGED.why}`],
    ["yolo", { mode: "ask" }, "ask: flags"],
  ] as const)("does not become wider than the start, whatever its log says: %s", (logged, start, words) => {
    const { mode, told, noted } = scene(start, wasIn(logged));
    expect(mode.own()).toBe(start.mode);
    expect(told).toEqual([
      expect.stringContaining(`the session was in the permission mode ${logged}; it continues in ${words}`),
    ]);
    expect(noted).toEqual([]); // nothing is written before the first line
    mode.turn.begin();
    mode.turn.begin();
    expect(noted).toEqual([`${start.mode} by start`]);
  });

  it("takes the mode of a flag instead", () => {
    const { mode, told } = scene({ mode: "auto", isByFlag: true }, wasIn("ask"));
    expect([mode.own(), told]).toEqual(["auto", []]);
  });
});

test("a new session of the same process keeps the mode, and says so in its log with the first line", () => {
  const { mode, noted } = scene();
  mode.set("ask", "person");
  mode.entered([]);
  mode.turn.begin();
  expect([mode.own(), noted]).toEqual(["ask", ["ask by person", "ask by start"]]);
});

describe("the key", () => {
  const keysOf = (start: Start, level: SandboxLevel | "off" | "unknown" = "bubblewrap") => {
    const { mode } = scene(start);
    const known = level === "unknown" || level === "off" ? undefined : { level };
    const isUnconfined = (): boolean => mode.own() === "auto" && known?.level === undefined;
    const sandbox = {
      mode: () => (isUnconfined() ? "acceptEdits" : mode.own()),
      isCertain: () => mode.own() !== "auto" || known !== undefined,
      known: () => known,
      look: async () => known?.level,
    } as unknown as SessionSandbox;
    return createModeKeys(mode, level === "off" ? undefined : sandbox);
  };
  const cycle = (start: Start, level?: SandboxLevel | "off") => {
    const keys = keysOf(start, level);
    const seen = Array.from({ length: 5 }, () => {
      keys.next();
      return keys.inForce();
    });
    return seen.join(" ");
  };

  it("goes through ask, acceptEdits, plan and auto; through bypass only where it was started", () => {
    expect(cycle({ mode: "auto" })).toBe("ask acceptEdits plan auto ask");
    expect(cycle({ mode: "bypass" })).toBe("ask acceptEdits plan auto bypass");
    expect(cycle({ mode: "auto" }, "landlock")).toBe("ask acceptEdits plan auto ask");
  });

  it("leaves out what is held back, and auto where it would be acceptEdits", () => {
    expect(cycle({ mode: "ask", fromFiles: [MANAGED] })).toBe("acceptEdits plan ask acceptEdits plan");
    expect(cycle({ mode: "acceptEdits" }, "off")).toBe("plan ask acceptEdits plan ask");
  });

  it("stays where nothing else is possible, and says why", () => {
    const keys = keysOf({ mode: "read-only" });
    expect(keys.next()).toBe(
      "the permission mode is still read-only: the session was started in read-only, by --permission-mode",
    );
  });

  it("says nothing about the mode in force before it is certain", async () => {
    expect(keysOf({ mode: "auto", isDefault: true }, "unknown").certain()).toBeUndefined();
    expect(keysOf({ mode: "ask" }, "unknown").certain()).toBe("ask");
  });

  it("has words for each mode, also for those that are not possible", async () => {
    const keys = keysOf({ mode: "ask", fromFiles: [MANAGED] });
    const list = await keys.command("");
    for (const each of START_MODES) expect(list).toMatch(new RegExp(`^[❯ ] ${each} `, "m"));
    expect(list).toMatch(/^❯ ask /m);
    expect(list).toContain(`bypass       not in this session: ${MANAGED.why}`);
    expect(await keys.command("acceptedits")).toBe(
      "permission mode acceptEdits: edits need no question; commands do",
    );
    expect(await keys.command("auto")).toBe(`The permission mode is still acceptEdits: ${MANAGED.why}.`);
    expect(await keys.command("accept")).toContain("Unknown mode accept. Did you mean acceptEdits?");
  });
});
