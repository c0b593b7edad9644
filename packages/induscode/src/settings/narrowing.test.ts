// No layer widens what another one refuses: every layer that can refuse, crossed with every one that can allow, and with every kind of
// asker. The same engine decides for all of them.

import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localFs } from "indusagi/capabilities";
import { describe, expect, it } from "vitest";
import { PARTS } from "../boot/parts.ts";
import type { Flags } from "../cli/flags.ts";
import type { KeptAnswer } from "../deck/contract.ts";
import {
  createPermissions,
  type PermissionRequest,
  type Permissions,
  permissionsOf,
} from "../deck/permissions/permissions.ts";
import { permissionPolicy, readRules } from "../session/permissions/permission-policy.ts";
import { loadSettings } from "./load-settings.ts";

const COMMAND = "touch made";
const RULE = `bash(${COMMAND})`;
const never = new AbortController().signal;

/** What each layer contains. */
interface Layers {
  readonly managed?: object;
  readonly person?: object;
  readonly repository?: object;
  readonly flags?: Flags;
  readonly kept?: readonly KeptAnswer[];
  readonly isPlanning?: boolean;
}

const NARROWING: Readonly<Record<string, Layers>> = {
  "a managed deny": { managed: { deny: [RULE] } },
  "a managed ask": { managed: { ask: [RULE] } },
  "a managed mode": { managed: { mode: "read-only" } },
  "a person's deny": { person: { deny: [RULE] } },
  "a person's ask": { person: { ask: [RULE] } },
  "a repository's deny": { repository: { deny: ["Bash(touch:*)"] } },
  "a repository's ask": { repository: { ask: [RULE] } },
  "a flag's deny": { flags: { deny: [RULE] } },
  "a plan that is not agreed on": { isPlanning: true },
};

const WIDENING: Readonly<Record<string, Layers>> = {
  "managed rules": { managed: { allow: [RULE] } },
  "a person's rule": { person: { allow: [RULE] } },
  "a person's mode": { person: { mode: "bypass" } },
  "a flag's rule": { flags: { allow: [RULE] } },
  "a flag's mode": { flags: { "permission-mode": "bypass" } },
  "an answer for everywhere": { kept: [{ rule: RULE }] },
  "an answer for the very command": {
    kept: [{ approval: { kind: "execute", tool: "bash", command: COMMAND, cwd: "" } }],
  },
};

const ASKERS: Readonly<
  Record<
    string,
    Pick<PermissionRequest, "by" | "changedBy"> & { readonly delegate?: "at work" | "in the background" }
  >
> = {
  "the model, and the person behind !": {},
  "a delegate": { delegate: "at work" },
  "a delegate in the background": { delegate: "in the background" },
  "an addon's exec": { by: "project:x" },
  "a call that an addon's guard changed": { changedBy: ["project:x"] },
  "an addon's exec in a delegate": { by: "project:x", delegate: "at work" },
};

async function permissionsWith(
  one: Layers,
  other: Layers = {},
): Promise<{ permissions: Permissions; root: string }> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-narrowing-")));
  const [home, root, managedPath] = [join(base, "home"), join(base, "ws"), join(base, "managed.json")];
  for (const folder of [home, join(root, ".indus")]) mkdirSync(folder, { recursive: true });
  const write = (path: string, layer: "managed" | "person" | "repository"): void => {
    const permissions = { ...one[layer], ...other[layer] };
    if (Object.keys(permissions).length > 0) writeFileSync(path, JSON.stringify({ permissions }));
  };
  write(managedPath, "managed");
  write(join(home, "settings.json"), "person");
  write(join(root, ".indus", "settings.json"), "repository");
  const loaded = await loadSettings(home, root, PARTS, { managedPath });
  const rules = readRules({ ...one.flags, ...other.flags }, loaded, []);
  const tool = { tool: { name: "bash" } } as never;
  const subjects = { tools: [tool], addonTools: new Set<string>(), delegates: [], root, mayGrow: true };
  const answers = [...(one.kept ?? []), ...(other.kept ?? [])].map((answer) =>
    "approval" in answer && answer.approval.kind === "execute"
      ? { approval: { ...answer.approval, cwd: root } }
      : answer,
  );
  const permissions = createPermissions({
    policy: await permissionPolicy(rules, subjects, []),
    root,
    home,
    realPath: localFs().realPath,
    kept: { answers, place: join(home, "permissions.json"), add: async () => undefined },
    isPlanning: () => one.isPlanning === true || other.isPlanning === true,
  });
  return { permissions, root };
}

async function outcome(
  { permissions, root }: Awaited<ReturnType<typeof permissionsWith>>,
  asker: string,
): Promise<string> {
  const { delegate, ...facts } = ASKERS[asker] ?? {};
  const asked = delegate
    ? permissionsOf("coder", permissions, delegate === "in the background")
    : permissions;
  const accesses = [{ kind: "execute", command: COMMAND, cwd: root }] as const;
  return (await asked.check({ tool: "bash", accesses, ...facts }, never)).kind;
}

const NAMES = Object.keys(WIDENING).flatMap((wide) =>
  Object.keys(ASKERS).map((asker) => [wide, asker] as const),
);

describe("a layer that narrows", () => {
  it.each(Object.keys(NARROWING))("%s is widened by no other, whoever asks", async (narrow) => {
    const passed: string[] = [];
    for (const [wide, asker] of NAMES)
      if ((await outcome(await permissionsWith(NARROWING[narrow] ?? {}, WIDENING[wide]), asker)) !== "refuse")
        passed.push(`${wide}, ${asker}`);
    expect(passed).toEqual([]);
  });

  it("is what refuses it: the twins without one pass", async () => {
    const refused: string[] = [];
    for (const [wide, asker] of NAMES)
      if ((await outcome(await permissionsWith(WIDENING[wide] ?? {}), asker)) !== "allow")
        refused.push(`${wide}, ${asker}`);
    expect(refused).toEqual([]);
  });

  it("a repository allows nothing, by rule or by mode", async () => {
    for (const repository of [{ allow: [RULE] }, { mode: "bypass" }])
      for (const asker of Object.keys(ASKERS))
        expect(await outcome(await permissionsWith({ repository }), asker), asker).toBe("refuse");
  });
});
