import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import type { SandboxSpec } from "./contract.ts";
import { nodePermissions } from "./node-permissions.ts";

const nothing: SandboxSpec = {
  ...{ readable: [], writable: [], protected: [], mayStartProcesses: false, isNode: true },
  maxMemoryBytes: 1,
};

describe("nodePermissions", () => {
  it("gives nothing by itself, before the program's own arguments", () => {
    expect(nodePermissions(["/node", "main.mjs", "--x"], nothing)).toEqual([
      ...["/node", "--permission", "main.mjs", "--x"],
    ]);
  });

  it("leaves a program alone that is not Node", () => {
    expect(nodePermissions(["/python3", "main.py"], { ...nothing, isNode: false })).toEqual([
      "/python3",
      "main.py",
    ]);
  });

  it("names files as they are and folders with all below them", () => {
    const folder = createFolder({ "ws/.git/config": "", "ws/src/a.ts": "", "addon/main.mjs": "" });
    const at = (name: string): string => join(folder, name);
    const spec = {
      ...nothing,
      ...{ readable: [at("addon/main.mjs"), at("addon")], writable: [at("ws")], protected: [at("ws/.git")] },
      mayStartProcesses: true,
    };
    expect(nodePermissions(["/node", "main.mjs"], spec)).toEqual([
      ...["/node", "--permission"],
      ...[`--allow-fs-read=${at("addon")}`, `--allow-fs-read=${at("ws")}`],
      ...[`--allow-fs-read=${at("addon/main.mjs")}`, `--allow-fs-read=${at("addon")}/*`],
      `--allow-fs-read=${at("ws")}/*`,
      `--allow-fs-write=${at("ws/src")}/*`,
      ...["--allow-child-process", "--disable-warning=PERM0002", "main.mjs"],
    ]);
  });

  it("opens a folder itself, though a place in it is named as well (twin: without its own flag Node refuses it)", () => {
    const ws = join(createFolder({ "ws/a.txt": "", "ws/.indus/addons/x/main.mjs": "" }), "ws");
    const nested = join(ws, ".indus/addons/x");
    const flags = nodePermissions([process.execPath], { ...nothing, readable: [nested, ws] }).slice(1);
    const list = (given: readonly string[]): string => {
      const look = `process.stdout.write(require("fs").readdirSync(${JSON.stringify(ws)}).join())`;
      const { stdout, stderr } = spawnSync(process.execPath, [...given, "-e", look], { encoding: "utf8" });
      return stderr === "" ? stdout : stderr;
    };
    expect(list(flags)).toBe(".indus,a.txt");
    expect(list(flags.filter((flag) => flag !== `--allow-fs-read=${ws}`))).toContain("ERR_ACCESS_DENIED");
  });

  it("refuses a name that Node would take for more than itself", () => {
    const folder = join(createFolder({ "a*b/x": "" }), "a*b");
    expect(() => nodePermissions(["/node"], { ...nothing, readable: [folder] })).toThrow(
      `${folder}: Node's permission flags do not support a path with "*" in it; rename the folder or file`,
    );
  });
});
