// Which sandbox the model's commands get, and what applies if this machine has none.

import { once } from "node:events";
import { mkdtempSync, realpathSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { lacksLevel } from "../../../../../tests/support/needs.ts";
import { levelOf, strongAt } from "../../../../../tests/support/test-levels.ts";
import { type ConfinementChoice, chooseConfinement } from "./command-confinement.ts";
import { createCommandSandbox } from "./session-sandbox.ts";

/** What a mode that somebody chose comes to. */
const CHOSEN = { mayFallBack: false, isByDefault: false } as const;

const chosen = (
  mode: "auto" | "acceptEdits",
  own: Parameters<typeof chooseConfinement>[1]["settings"],
  narrowed: Parameters<typeof chooseConfinement>[1]["narrowed"] = {},
  flags: Parameters<typeof chooseConfinement>[0] = {},
) => chooseConfinement(flags, { settings: own, narrowed }, { mode, isDefault: false });

describe("the sandbox of a session", () => {
  it("comes with the mode auto, or as the person says", () => {
    expect(chosen("acceptEdits", {})).toEqual({
      sandbox: "off",
      network: "off",
      hosts: [],
      isRequired: false,
      ...CHOSEN,
    });
    expect(chosen("auto", {})).toEqual({
      sandbox: "workspace-write",
      network: "off",
      hosts: [],
      isRequired: false,
      ...CHOSEN,
    });
    expect(chosen("auto", { sandbox: "off" }).sandbox).toBe("off");
    expect(chosen("acceptEdits", { sandbox: "read-only", network: "on" })).toEqual({
      ...{ sandbox: "read-only", network: "on", hosts: [], isRequired: true, ...CHOSEN },
    });
    expect(chosen("auto", { sandbox: "off" }, {}, { sandbox: "read-only" }).sandbox).toBe("read-only");
  });

  it("is narrowed by a repository, and never widened", () => {
    expect(chosen("auto", { network: "on" }, { sandbox: "read-only", network: "off" })).toEqual({
      ...{ sandbox: "read-only", network: "off", hosts: [], isRequired: false, ...CHOSEN },
    });
    expect(chosen("auto", { sandbox: "read-only" }, { sandbox: "off", network: "on" })).toEqual({
      ...{ sandbox: "read-only", network: "off", hosts: [], isRequired: true, ...CHOSEN },
    });
    expect(chosen("acceptEdits", {}, { sandbox: "workspace-write" }).sandbox).toBe("workspace-write");
  });
});

describe("the mode that nobody chose", () => {
  const byDefault = (
    own: Parameters<typeof chooseConfinement>[1]["settings"],
    narrowed: Parameters<typeof chooseConfinement>[1]["narrowed"] = {},
  ) => chooseConfinement({}, { settings: own, narrowed }, { mode: "auto", isDefault: true });

  it("brings a sandbox that is there under bubblewrap only, unless somebody asked for one", () => {
    expect(byDefault({})).toMatchObject({ mayFallBack: true, isByDefault: true, isRequired: false });
    expect(byDefault({ sandbox: "read-only" })).toMatchObject({
      ...{ sandbox: "read-only", mayFallBack: true, isByDefault: false, isRequired: true },
    });
    expect(byDefault({}, { sandbox: "read-only" })).toMatchObject({ mayFallBack: true, isByDefault: false });
  });

  const LEVELS = ["bubblewrap", "landlock"] as const;
  it.each(LEVELS)("goes by what confines commands: %s", async (level) => {
    const cwd = realpathSync(mkdtempSync(`${tmpdir()}/indus-default-`));
    const strong = strongAt(level);
    if (lacksLevel(levelOf(level), strong?.level === level)) return;
    const modeUnder = async (choice: ConfinementChoice) => {
      const sandbox = createCommandSandbox(choice, {
        ...{ cwd, home: cwd, personHome: cwd, env: {}, withhold: [], tell: () => undefined },
        policy: { mode: "auto", allow: [], ask: [], deny: [] },
        isDocument: () => false,
        machine: { strong: () => strong, levels: () => [] },
      });
      onTestFinished(async () => void (await sandbox?.close()));
      return [await sandbox?.state(), sandbox?.mode()];
    };
    const isStrong = level === "bubblewrap";
    const mode = isStrong ? "auto" : "acceptEdits";
    expect(await modeUnder(byDefault({}))).toEqual([isStrong ? "in force" : "absent", mode]);
    expect(await modeUnder(byDefault({}, { sandbox: "read-only" }))).toEqual(["in force", mode]);
    expect(await modeUnder({ ...byDefault({}), ...CHOSEN })).toEqual(["in force", "auto"]); // twin: chosen
  });
});

describe("hosts", () => {
  it("is as wide as the person says, and as narrow as a repository does", () => {
    const own = { network: "hosts", networkHosts: ["example.com"] } as const;
    const hosts = ["example.com"];
    expect(chosen("auto", own)).toMatchObject({ network: "hosts", hosts });
    expect(chosen("auto", { ...own, network: "on" }, { network: "hosts" })).toMatchObject({
      network: "hosts",
      hosts,
    });
    expect(chosen("auto", { network: "off" }, { network: "hosts" }).network).toBe("off");
    expect(chosen("auto", own, { network: "off" }).network).toBe("off");
    expect(chosen("auto", own, {}, { network: "on" }).network).toBe("on");
  });

  const LEVELS = ["bubblewrap", "landlock"] as const;
  describe.each(LEVELS)("at the level %s", (level) => {
    const strong = strongAt(level);
    const isThere = strong?.level === levelOf(level);
    it.skipIf(lacksLevel(levelOf(level), isThere))(
      "reaches no server of this machine, and a level that cannot tell hosts apart says so once (twin: on)",
      async () => {
        const server = createServer((socket) => socket.on("error", () => undefined).end("hello")).listen(
          0,
          "127.0.0.1",
        );
        onTestFinished(() => void server.close());
        await once(server, "listening");
        const { port } = server.address() as AddressInfo;
        const cwd = realpathSync(mkdtempSync(`${tmpdir()}/indus-hosts-`));
        const reach = async (network: "hosts" | "on") => {
          const told: string[] = [];
          const sandbox = createCommandSandbox(
            { sandbox: "workspace-write", network, hosts: ["127.0.0.1"], isRequired: false, ...CHOSEN },
            {
              ...{ cwd, home: cwd, personHome: cwd, withhold: [] },
              env: { PATH: `${dirname(realpathSync(process.execPath))}:/usr/bin:/bin` },
              policy: { mode: "auto", allow: [], ask: [], deny: [] },
              isDocument: () => false,
              machine: { strong: () => strong, levels: () => [] },
              tell: (line) => told.push(line),
            },
          );
          onTestFinished(async () => void (await sandbox?.close()));
          expect(await sandbox?.state()).toBe("in force");
          const line = `node -e 'require("net").connect(${port}, "127.0.0.1").on("data", (d) => console.log("" + d)).on("error", (e) => console.log(e.code))'`;
          const signal = new AbortController().signal;
          const { stdout = "" } = (await sandbox?.shell.exec(line, { cwd, signal })) ?? {};
          return { said: stdout.trim(), told };
        };
        expect(await reach("on")).toEqual({ said: "hello", told: [] });
        const { said, told } = await reach("hosts");
        expect(said).toMatch(/^E[A-Z]+$/);
        expect(told).toEqual(
          level === "bubblewrap" ? [] : [expect.stringContaining("which cannot filter by host")],
        );
      },
    );
  });
});

describe("where nothing confines a command", () => {
  const cwd = realpathSync(mkdtempSync(`${tmpdir()}/indus-confinement-`));
  const sandboxOf = (isRequired: boolean, told: string[], more: Partial<ConfinementChoice> = {}) =>
    createCommandSandbox(
      { sandbox: "workspace-write", network: "off", hosts: [], isRequired, ...CHOSEN, ...more },
      {
        ...{ cwd, home: cwd, personHome: cwd, env: {}, withhold: [] },
        policy: { mode: "auto", allow: [], ask: [], deny: [] },
        isDocument: () => false,
        machine: {
          strong: () => undefined,
          levels: () => [{ level: "bubblewrap", works: false, reason: "bwrap is not installed" }],
        },
        tell: (line) => told.push(line),
      },
    );

  it("auto goes on as acceptEdits and says so once", async () => {
    const told: string[] = [];
    const sandbox = sandboxOf(false, told);
    expect([await sandbox?.state(), await sandbox?.state()]).toEqual(["absent", "absent"]);
    expect(told).toEqual([
      "Commands cannot be confined here (bubblewrap: bwrap is not installed): the mode auto treats them as acceptEdits does, and asks.",
    ]);
  });

  it("auto by default becomes acceptEdits, and says so with the first command that is asked about", async () => {
    const told: string[] = [];
    const sandbox = sandboxOf(false, told, { mayFallBack: true, isByDefault: true });
    expect(sandbox?.mode()).toBe("auto"); // nothing is tried before the first command
    expect(await sandbox?.state()).toBe("absent");
    expect([sandbox?.mode(), told]).toEqual(["acceptEdits", []]);
    sandbox?.onAsked();
    sandbox?.onAsked();
    expect(told).toEqual([expect.stringContaining("(bubblewrap: bwrap is not installed)")]);
  });

  it("a sandbox that the person asked for refuses every command", async () => {
    const told: string[] = [];
    const state = await sandboxOf(true, told)?.state();
    expect(state).toEqual({
      refusal: expect.stringContaining("Start with --sandbox off to run them without it"),
    });
    expect(told).toEqual([]);
  });

  it("none is made where none is wanted", () => {
    const off = { sandbox: "off", network: "off", hosts: [], isRequired: false, ...CHOSEN } as const;
    const facts = { ...{ cwd, home: cwd, personHome: cwd, env: {}, withhold: [] }, tell: () => undefined };
    expect(
      createCommandSandbox(off, {
        ...facts,
        policy: { mode: "auto", allow: [], ask: [], deny: [] },
        isDocument: () => false,
      }),
    ).toBeUndefined();
  });
});
