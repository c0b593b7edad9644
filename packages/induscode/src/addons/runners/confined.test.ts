// The runners at each sandbox level that this machine has: they start, serve, and can use the memory that they are promised.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LONG_ONLY, rows } from "../../../../../tests/support/long-form.ts";
import { lacksLevel } from "../../../../../tests/support/needs.ts";
import { TEST_COMPILER } from "../../../../../tests/support/test-compiler.ts";
import { createFolder, sourceAt } from "../../../../../tests/support/test-folder.ts";
import {
  isOwnKernels,
  LANDLOCKS,
  levelOf,
  sandboxAt,
  type TestedLevel,
} from "../../../../../tests/support/test-levels.ts";
import { DESCRIBE, startCommand, type TestRunner } from "../../../../../tests/support/test-runner.ts";
import { compileReply } from "../../../../../tests/support/test-wasm.ts";
import { describeModule } from "../kinds/module.ts";
import { describeWasm } from "../kinds/wasm.ts";
import type { AddonProgram } from "../process/contract.ts";
import { sandboxSpec } from "../sandbox/spec.ts";
import { parseManifest } from "../source/manifest.ts";

const ALL: readonly TestedLevel[] = ["bubblewrap", ...LANDLOCKS, "node-permissions"];
const LEVELS = rows(ALL, isOwnKernels);

describe.each(LEVELS)("at the level %s", (level) => {
  const sandbox = sandboxAt(level);
  const isMissing = lacksLevel(levelOf(level), sandbox.levelFor({ isNode: true }) === levelOf(level));
  const start = (program: AddonProgram): TestRunner => {
    const spec = sandboxSpec(program, [], createFolder());
    return startCommand(sandbox.confine(program.argv, spec).argv, { cwd: program.cwd });
  };

  test.skipIf(isMissing)(
    "a TypeScript addon of several files and a package registers, and answers",
    async () => {
      const folder = createFolder({
        "index.ts": `import { gate, stop } from "induscode/addons"; import { why } from "./lib/why"; import { mark } from "mark";
        enum Level { High = 3 }
        export function register(surface: any): void { surface.on("tool:before", gate(() => stop(why + mark + Level.High))); }`,
        "lib/why.ts": `export const why: string = "because";`,
        "node_modules/mark/package.json": `{ "name": "mark", "type": "module", "exports": "./m.js" }`,
        "node_modules/mark/m.js": `export const mark = "!";`,
      });
      const source = { ...sourceAt(join(folder, "index.ts")), root: folder };
      const addon = await describeModule(source, { home: createFolder(), compiler: TEST_COMPILER });
      const runner = start(await addon.program({ hash: "", grants: [] }));
      expect(await runner.request("describe", DESCRIBE)).toMatchObject({
        result: { handlers: [{ kind: "gate" }] },
      });
      const event = { handler: 0, event: "tool:before", payload: { name: "bash", callId: "c", args: {} } };
      expect(await runner.request("event", event)).toMatchObject({ result: { reason: "because!3" } });
      runner.end();
      expect(await runner.ended).toMatchObject({ code: 0 });
    },
  );

  test.skipIf(isMissing)("an addon that is one file is readable, and the file beside it is not", async () => {
    const folder = createFolder({
      "one.js": `import { readFileSync } from "node:fs";
        export function register(surface) {
          const read = (name) => { try { return readFileSync(import.meta.dirname + "/" + name, "utf8").length > 0; } catch (error) { return error.code; } };
          surface.addCommand("c", { summary: read("one.js") + " " + read("other.js"), run() {} });
        }`,
      "other.js": "secret",
    });
    const path = join(folder, "one.js");
    const addon = await describeModule(
      { ...sourceAt(path), root: path },
      { home: createFolder(), compiler: TEST_COMPILER },
    );
    const runner = start(await addon.program({ hash: "", grants: [] }));
    const { result } = await runner.request("describe", DESCRIBE);
    expect(result).toMatchObject({
      commands: [{ summary: expect.stringMatching(/^true (ENOENT|EACCES|ERR_ACCESS_DENIED)$/) }],
    });
  });

  test.skipIf(isMissing)(
    "a WebAssembly addon gets all the memory of its manifest, and no more",
    LONG_ONLY,
    async () => {
      const reply = `while (memory.grow(1) >= 0) {} memory.fill(<usize>100000, 1, <usize>memory.size() * 65536 - 100000); return result(message, memory.size().toString());`;
      const folder = createFolder();
      writeFileSync(join(folder, "w.wasm"), await compileReply(reply, ["--maximumMemory", "4096"]));
      const { descriptor } = await parseManifest(
        `id = "w"\n[run]\nwasm = "w.wasm"\nmemory-mb = 256`,
        "manifest.toml",
      );
      const addon = await describeWasm({ ...sourceAt(folder), root: folder }, descriptor);
      const runner = start(await addon.program({ hash: "", grants: [] }));
      expect(await runner.request("event", { handler: 0, event: "tool:before", payload: {} })).toMatchObject({
        result: 4096,
      });
    },
  );
});
