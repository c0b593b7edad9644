// Which sandbox the model's commands get, and what applies if this machine has none.

import { once } from "node:events";
import { mkdtempSync, realpathSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { lacksLevel } from "../../../../../tests/support/needs.ts";
import { levelOf, strongAt } from "../../../../../tests/support/test-levels.ts";
import { chooseConfinement } from "./command-confinement.ts";
import { createCommandSandbox } from "./session-sandbox.ts";

const chosen = (
  own: Parameters<typeof chooseConfinement>[1]["settings"],
  narrowed: Parameters<typeof chooseConfinement>[1]["narrowed"] = {},
  flags: Parameters<typeof chooseConfinement>[0] = {},
) => chooseConfinement(flags, { settings: own, narrowed });

/** A session's mode that nobody switches. */
const modeOf = (own: "auto" | "acceptEdits", isDefault = false) => ({
  own: () => own,
  isDefault: () => isDefault,
});

describe("the sandbox of a session", () => {
  it("comes with the mode auto, or as the person says", () => {
    const ofAuto = { network: "off", hosts: [], isRequired: false, isAlways: false };
    expect(chosen({})).toEqual({ sandbox: "workspace-write", ...ofAuto });
    expect(chosen({ sandbox: "off" }).sandbox).toBe("off");
    expect(chosen({ sandbox: "read-only", network: "on" })).toEqual({
      ...{ sandbox: "read-only", network: "on", hosts: [], isRequired: true, isAlways: true },
    });
    expect(chosen({ sandbox: "off" }, {}, { sandbox: "read-only" }).sandbox).toBe("read-only");
  });

  it("is narrowed by a repository, and never widened", () => {
    expect(chosen({ network: "on" }, { sandbox: "read-only", network: "off" })).toEqual({
      ...{ sandbox: "read-only", network: "off", hosts: [], isRequired: false, isAlways: true },
    });
    expect(chosen({ sandbox: "read-only" }, { sandbox: "off", network: "on" })).toEqual({
      ...{ sandbox: "read-only", network: "off", hosts: [], isRequired: true, isAlways: true },
    });
    expect(chosen({ sandbox: "off" }, { sandbox: "workspace-write" })).toMatchObject({
      ...{ sandbox: "workspace-write", isRequired: false, isAlways: true },
    });
  });
});

describe("the mode", () => {
  const LEVELS = ["bubblewrap", "landlock"] as const;
  it.each(LEVELS)("goes by what confines commands: %s", async (level) => {
    const cwd = realpathSync(mkdtempSync(`${tmpdir()}/indus-default-`));
    const strong = strongAt(level);
    if (lacksLevel(levelOf(level), strong?.level === level)) return;
    const under = async (mode: ReturnType<typeof modeOf>, choice = chosen({})) => {
      const sandbox = createCommandSandbox(choice, {
        ...{ cwd, home: cwd, personHome: cwd, env: {}, withhold: [], mode },
        ...{ tell: () => undefined, inform: () => undefined },
        policy: { mode: "auto", allow: [], ask: [], deny: [] },
        isDocument: () => false,
        machine: { strong: () => strong, levels: () => [] },
      });
      onTestFinished(async () => void (await sandbox?.close()));
      return [await sandbox?.state(), sandbox?.mode()];
    };
    const isStrong = level === "bubblewrap";
    const byDefault = modeOf("auto", true);
    const mode = isStrong ? "auto" : "acceptEdits";
    expect(await under(byDefault)).toEqual([isStrong ? "in force" : "absent", mode]);
    expect(await under(byDefault, chosen({}, { sandbox: "read-only" }))).toEqual(["in force", mode]);
    expect(await under(modeOf("auto"))).toEqual(["in force", "auto"]); // twin: somebody chose it
    expect(await under(modeOf("acceptEdits"))).toEqual(["absent", "acceptEdits"]);
    expect(await under(modeOf("acceptEdits"), chosen({ sandbox: "read-only" }))).toEqual([
      "in force",
      "acceptEdits",
    ]);
  });
});

describe("hosts", () => {
  it("is as wide as the person says, and as narrow as a repository does", () => {
    const own = { network: "hosts", networkHosts: ["example.com"] } as const;
    const hosts = ["example.com"];
    expect(chosen(own)).toMatchObject({ network: "hosts", hosts });
    expect(chosen({ ...own, network: "on" }, { network: "hosts" })).toMatchObject({
      network: "hosts",
      hosts,
    });
    expect(chosen({ network: "off" }, { network: "hosts" }).network).toBe("off");
    expect(chosen(own, { network: "off" }).network).toBe("off");
    expect(chosen(own, {}, { network: "on" }).network).toBe("on");
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
            { sandbox: "workspace-write", network, hosts: ["127.0.0.1"], isRequired: false, isAlways: false },
            {
              ...{ cwd, home: cwd, personHome: cwd, withhold: [] },
              env: { PATH: `${dirname(realpathSync(process.execPath))}:/usr/bin:/bin` },
              policy: { mode: "auto", allow: [], ask: [], deny: [] },
              isDocument: () => false,
              machine: { strong: () => strong, levels: () => [] },
              mode: modeOf("auto"),
              tell: (line) => told.push(line),
              inform: () => undefined,
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
  const sandboxOf = (isRequired: boolean, told: string[], isDefault = false) =>
    createCommandSandbox(
      { sandbox: "workspace-write", network: "off", hosts: [], isRequired, isAlways: isRequired },
      {
        mode: modeOf("auto", isDefault),
        inform: (line) => told.push(line),
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
    const sandbox = sandboxOf(false, told, true);
    expect(sandbox?.isCertain()).toBe(false); // nothing is tried before the first command, unless somebody wants to know
    expect(await sandbox?.state()).toBe("absent");
    expect(sandbox?.isCertain()).toBe(true);
    expect([sandbox?.mode(), told]).toEqual(["acceptEdits", []]);
    sandbox?.onAsked();
    sandbox?.onAsked();
    expect(told).toEqual([expect.stringMatching(/, so indus asks before each command\./)]);
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
    const off = { sandbox: "off", network: "off", hosts: [], isRequired: false, isAlways: false } as const;
    const facts = {
      ...{ cwd, home: cwd, personHome: cwd, env: {}, withhold: [], mode: modeOf("auto") },
      ...{ tell: () => undefined, inform: () => undefined },
    };
    expect(
      createCommandSandbox(off, {
        ...facts,
        policy: { mode: "auto", allow: [], ask: [], deny: [] },
        isDocument: () => false,
      }),
    ).toBeUndefined();
  });
});
