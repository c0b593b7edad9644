// What needs a capability that is not to be had is not installed, and it is said why: the real command, each kind of addon.

import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hashAddon } from "../../packages/induscode/src/addons/source/content-hash.ts";
import type { HostCapability } from "../../packages/induscode/src/feature/descriptor.ts";
import type { FeatureInstallReport } from "../../packages/induscode/src/feature/install-report.ts";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { compileReply } from "../support/test-wasm.ts";

interface Asked {
  readonly kind: string;
  readonly facts?: string;
  readonly required?: boolean;
}

const tables = (asked: readonly Asked[]): string =>
  asked
    .map(
      ({ kind, facts = "", required }) =>
        `[[capability]]\nkind = "${kind}"\n${facts}${required === undefined ? "" : `required = ${required}\n`}reason = "wants it"\n`,
    )
    .join("");
const inlined = (comment: string, asked: readonly Asked[]): string =>
  ["/// indus-addon", ...tables(asked).trim().split("\n"), "///"]
    .map((line) => `${comment} ${line}\n`)
    .join("");

/** As a program says it. */
const CARD = { description: "d", parameters: { type: "object" } };
const NEEDS = { requiredCapabilities: [{ kind: "files", write: true }] };
const REGISTRATION = {
  protocol: 1,
  handlers: [{ event: "input:submit", kind: "gate" }],
  commands: [{ name: "hi", summary: "s" }],
  tools: [
    { name: "plain", ...CARD },
    { name: "writer", ...CARD, ...NEEDS },
  ],
  tasks: [
    { id: "idle", description: "d", activation: "onDemand" },
    { id: "keeper", description: "d", activation: "onDemand", ...NEEDS },
  ],
};

/** Contributes a gate, a command, the tools `plain` and `writer` and the tasks `idle` and `keeper`; two of them need to write. */
const KINDS: Readonly<Record<string, (place: Workplace, asked: readonly Asked[]) => void | Promise<void>>> = {
  TypeScript: (place, asked) =>
    void place.file(
      ".indus/addons/x.ts",
      `${inlined("//", asked)}import { type AddonSurface, gate } from "induscode/addons";
export function register(surface: AddonSurface): void {
  const tool = { description: "d", parameters: { type: "object" }, run: () => "ok" };
  const task = { description: "d", run: () => undefined };
  surface.on("input:submit", gate(() => undefined));
  surface.addCommand("hi", { summary: "s", run: () => undefined });
  surface.addTool({ name: "plain", ...tool });
  surface.addTool({ name: "writer", ...tool, requiredCapabilities: [{ kind: "files", write: true }] });
  surface.addTask({ id: "idle", ...task });
  surface.addTask({ id: "keeper", ...task, requiredCapabilities: [{ kind: "files", write: true }] });
}
`,
    ),
  Python: (place, asked) =>
    void place.file(
      ".indus/addons/x.py",
      `${inlined("#", asked)}from induscode.addons import AgentTool, CommandSpec, GateHandler

def register(surface):
    write = [{"kind": "files", "write": True}]
    surface.on("input:submit", GateHandler(lambda payload: None))
    surface.add_command("hi", CommandSpec(summary="s", run=lambda ctx: None))
    surface.add_tool(AgentTool("plain", "d", {"type": "object"}, lambda args: "ok"))
    surface.add_tool(AgentTool("writer", "d", {"type": "object"}, lambda args: "ok", required_capabilities=write))
    surface.add_task("idle", "d", lambda context: None)
    surface.add_task("keeper", "d", lambda context: None, required_capabilities=write)
`,
    ),
  "any program": (place, asked) => {
    place.file(".indus/addons/x/manifest.toml", `id = "x"\n[run]\ncommand = ["./x.sh"]\n${tables(asked)}`);
    const path = place.file(
      ".indus/addons/x/x.sh",
      `#!/bin/sh
while IFS= read -r line; do
  id=\${line#*'"id":'}; id=\${id%%,*}
  case $line in *'"result"'*|*'"ack"'*|*'"cancel"'*) continue ;; esac
  printf '{"jsonrpc":"2.0","method":"ack","params":{"id":%s}}\\n' "$id"
  case $line in
  *'"describe"'*) printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" '${JSON.stringify(REGISTRATION)}' ;;
  *) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\\n' "$id" ;;
  esac
  case $line in *'"dispose"'*) exit 0 ;; esac
done
`,
    );
    chmodSync(path, 0o755);
  },
  WebAssembly: async (place, asked) => {
    place.file(".indus/addons/x/manifest.toml", `id = "x"\n[run]\nwasm = "x.wasm"\n${tables(asked)}`);
    const text = JSON.stringify(JSON.stringify(REGISTRATION));
    const reply = `return result(message, message.includes('"method":"describe"') ? ${text} : "{}");`;
    place.bytes(".indus/addons/x/x.wasm", await compileReply(reply));
  },
};

const READ: Asked = { kind: "files", facts: "read = true\n" };
const BOTH: Asked = { kind: "files", facts: "read = true\nwrite = true\n" };
const MEMORY: Asked = { kind: "memory", facts: "read = true\n" };
/** The setting takes the service away. */
const OFF = '{ "memory": false }';
const NO_SERVICE = 'the setting "memory" is false';

async function reportOf(
  place: Workplace,
  env: Readonly<Record<string, string>> = {},
): Promise<FeatureInstallReport> {
  const { stdout } = await place.run(["addons", "--json", "--grant", "x"], { env });
  const { features } = JSON.parse(stdout) as { readonly features: readonly FeatureInstallReport[] };
  return features.at(-1) as FeatureInstallReport;
}

const kinds = rows(Object.entries(KINDS), ([kind]) => kind === "TypeScript");

describe.each(kinds)("an addon in %s", (_, write) => {
  const placeWith = async (...asked: readonly Asked[]): Promise<Workplace> => {
    const place = createSharedWorkplace();
    writeFileSync(join(place.home, "settings.json"), OFF);
    await write(place, asked);
    return place;
  };

  it("that requires what nobody can be given is left out as a whole, each part with the reason", async () => {
    const place = await placeWith(BOTH, MEMORY);
    const report = await reportOf(place);
    expect(report).toMatchObject({ enabled: false, tools: [], commands: [], hooks: [], tasks: [] });
    expect(report.granted.map(({ kind }) => kind)).not.toContain("memory");
    expect(report.denied).toEqual([
      {
        capability: { kind: "memory", read: true, write: false },
        required: true,
        why: "unavailable",
        reason: NO_SERVICE,
      },
    ]);
    expect(report.skipped.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
      "command hi",
      "hook input:submit",
      "task idle",
      "task keeper",
      "tool plain",
      "tool writer",
    ]);
    for (const { reason } of report.skipped) expect(reason).toBe(`it needs memory (read): ${NO_SERVICE}`);
    expect((await place.run(["addons", "--grant", "x"])).stdout).toContain(
      `  denied    memory (read): ${NO_SERVICE}`,
    );
    const check = await place.run(["addon", "check", join(".indus/addons", nameOf(place))]);
    expect(check.code).toBe(0); // there is nothing wrong with the addon itself
  });

  it("that does without it is installed, and the denial has its reason", async () => {
    const place = await placeWith(BOTH, { ...MEMORY, required: false });
    const report = await reportOf(place);
    expect(report).toMatchObject({
      enabled: true,
      tools: ["plain", "writer"],
      commands: ["hi"],
      tasks: ["idle", "keeper"],
    });
    expect(report.denied).toMatchObject([{ required: false, why: "unavailable", reason: NO_SERVICE }]);
    expect((await place.run(["addons", "--grant", "x"])).stdout).toContain(
      `  denied    memory (read) (optional): ${NO_SERVICE}`,
    );
  });

  it(
    "whose tool and task need what it did not ask for keeps the rest (the twin: it asks, and has all)",
    LONG_ONLY,
    async () => {
      const report = await reportOf(await placeWith(READ));
      expect(report).toMatchObject({ enabled: true, tools: ["plain"], commands: ["hi"], tasks: ["idle"] });
      expect(report.skipped).toEqual([
        { kind: "tool", name: "writer", reason: "it needs files (write): it was not granted" },
        { kind: "task", name: "keeper", reason: "it needs files (write): it was not granted" },
      ]);
      expect(await reportOf(await placeWith(BOTH))).toMatchObject({
        tools: ["plain", "writer"],
        skipped: [],
        denied: [],
      });
    },
  );

  it("that requires a secret is installed where it is set", LONG_ONLY, async () => {
    const place = await placeWith(BOTH, { kind: "secret", facts: 'id = "FLEET_CODE"\n' });
    const report = await reportOf(place);
    expect(report.enabled).toBe(false);
    expect(report.skipped[0]?.reason).toBe("it needs secret (FLEET_CODE): it is not set in the environment");
    expect((await reportOf(place, { FLEET_CODE: "hunter2-Zq8x" })).enabled).toBe(true);
  });

  it("that was trusted with less than it requires is left out, and says so", async () => {
    const place = await placeWith(BOTH);
    const root = join(place.cwd, ".indus/addons", nameOf(place));
    const granted: readonly HostCapability[] = [{ kind: "files", read: true, write: false, execute: false }];
    const kept = { id: "project:x", path: root, granted, at: "2026-11-22T00:00:00.000Z" };
    writeFileSync(
      join(place.home, "trust.json"),
      JSON.stringify({ version: 1, trusted: { [hashAddon(root)]: kept } }),
    );
    const report = await reportOf(place);
    expect(report.enabled).toBe(false);
    expect(report.denied).toMatchObject([{ required: true, why: "denied", reason: "it was not granted" }]);
    expect(report.skipped[0]?.reason).toBe("it needs files (read, write): it was not granted");
  });

  it("is said at the start of a session, and its tools reach no model", LONG_ONLY, async () => {
    const place = await createServedShared([{ text: "Done." }]);
    writeFileSync(join(place.home, "settings.json"), OFF);
    await write(place, [BOTH, MEMORY]);
    const { stderr } = await place.run(["-p", "go", "--model", "anthropic/scripted", "--grant", "x"]);
    expect(stderr).toContain(`project:x: skipped: tool plain (it needs memory (read): ${NO_SERVICE})`);
    expect(JSON.stringify(place.server.requests[0]?.body.tools)).not.toContain('"plain"');
  });
});

/** The one addon of the place. */
function nameOf(place: Workplace): string {
  return readdirSync(join(place.cwd, ".indus/addons"))[0] ?? "";
}

it("a manifest of data: what it requires keeps it out; a command alone waits for its own grant", async () => {
  const place = createSharedWorkplace();
  writeFileSync(join(place.home, "settings.json"), OFF);
  const gate = '[[gate]]\nevent = "tool:before"\nreason = "no"\n';
  const command = '[[command]]\nname = "go"\nsummary = "s"\nexec = "true"\n';
  place.file(".indus/addons/x/manifest.toml", `id = "x"\n${gate}${command}${tables([MEMORY])}`);
  expect(await reportOf(place)).toMatchObject({
    enabled: false,
    skipped: [
      { reason: `it needs memory (read): ${NO_SERVICE}` },
      { reason: `it needs memory (read): ${NO_SERVICE}` },
    ],
  });
  place.file(".indus/addons/x/manifest.toml", `id = "x"\n${gate}${command}`);
  const root = join(place.cwd, ".indus/addons/x");
  const kept = {
    id: "project:x",
    path: root,
    granted: [{ kind: "contribute_hook", point: "tool:before" }],
    at: "2026-11-22T00:00:00.000Z",
  };
  writeFileSync(
    join(place.home, "trust.json"),
    JSON.stringify({ version: 1, trusted: { [hashAddon(root)]: kept } }),
  );
  expect(await reportOf(place)).toMatchObject({
    enabled: true,
    hooks: ["tool:before (gate)"],
    skipped: [{ kind: "command", name: "go", reason: "it needs files (execute): it was not granted" }],
  });
});
