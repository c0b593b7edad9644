// Our own runners keep what the protocol asks of everybody.

import { join } from "node:path";
import { expect, it } from "vitest";
import { needs } from "../../../../../tests/support/needs.ts";
import { readManifest } from "../declarative-loader.ts";
import { describeModule } from "../loaders/module.ts";
import { describePython } from "../loaders/python.ts";
import { TEST_COMPILER } from "../loaders/test-compiler.ts";
import { describeWasm } from "../loaders/wasm.ts";
import type { CodeAddon } from "../remote/contract.ts";
import { createFolder, NOTHING_ADMITTED, sourceAt } from "../test-folder.ts";
import { runConformance } from "./conformance.ts";

const EXAMPLES = join(import.meta.dirname, "../../../../../examples/addons");

async function wasmExample(): Promise<CodeAddon> {
  const source = sourceAt(join(EXAMPLES, "secret-scan"));
  return describeWasm(source, (await readManifest(source)).descriptor);
}

it.each([
  [
    "TypeScript",
    () =>
      describeModule(sourceAt(join(EXAMPLES, "careful-shell.ts")), {
        home: createFolder(),
        compiler: TEST_COMPILER,
      }),
  ],
  [
    "Python",
    () => {
      needs("python3");
      return describePython(sourceAt(join(EXAMPLES, "redact.py")));
    },
  ],
  ["WASM", wasmExample],
])("an example in %s conforms", { timeout: 60_000 }, async (_kind, describe) => {
  const { argv, cwd } = await (await describe()).program(NOTHING_ADMITTED);
  const { results, failed } = await runConformance({ argv, cwd });
  expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
  expect(failed).toBe(0);
});
