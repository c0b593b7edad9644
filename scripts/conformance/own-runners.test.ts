// Our own runners keep what the protocol asks of everybody.

import { join } from "node:path";
import { expect, it } from "vitest";
import { readManifest } from "../../packages/induscode/src/addons/kinds/declarative-loader.ts";
import { describeMcp } from "../../packages/induscode/src/addons/kinds/mcp.ts";
import { describeModule } from "../../packages/induscode/src/addons/kinds/module.ts";
import { describePython } from "../../packages/induscode/src/addons/kinds/python.ts";
import { describeWasm } from "../../packages/induscode/src/addons/kinds/wasm.ts";
import type { CodeAddon } from "../../packages/induscode/src/addons/process/contract.ts";
import { rows } from "../../tests/support/long-form.ts";
import { MCP_SERVER, mcpManifest } from "../../tests/support/mcp-server.ts";
import { needs } from "../../tests/support/needs.ts";
import { TEST_COMPILER } from "../../tests/support/test-compiler.ts";
import { createFolder, NOTHING_ADMITTED, sourceAt } from "../../tests/support/test-folder.ts";
import { runConformance } from "./conformance.ts";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLES = join(ROOT, "examples/addons");

const wasm = (folder: string) => async (): Promise<CodeAddon> => {
  const source = sourceAt(folder);
  return describeWasm(source, (await readManifest(source)).descriptor);
};

const mcp = async (): Promise<CodeAddon> => {
  const source = sourceAt(createFolder({ "manifest.toml": mcpManifest(), "server.mjs": MCP_SERVER }));
  const { descriptor } = await readManifest(source);
  if (descriptor.run?.kind !== "mcp") throw new Error("its manifest has no [run] mcp");
  return describeMcp(source, { ...descriptor, run: descriptor.run }, { workspace: "/work", env: {} });
};

const module = (file: string) => () =>
  describeModule(sourceAt(join(EXAMPLES, file)), { home: createFolder(), compiler: TEST_COMPILER });

const EXAMPLES_OF: readonly (readonly [kind: string, describe: () => Promise<CodeAddon>])[] = [
  ["TypeScript", module("careful-shell.ts")],
  ["TypeScript, with a service and a task", module("work-items.ts")],
  ["TypeScript, with sessions of its own", module("second-opinion.ts")],
  [
    "Python",
    () => {
      needs("python3");
      return describePython(sourceAt(join(EXAMPLES, "redact.py")));
    },
  ],
  [
    "Python, with memory",
    () => {
      needs("python3");
      return describePython(sourceAt(join(EXAMPLES, "lessons.py")));
    },
  ],
  ["WASM", wasm(join(EXAMPLES, "secret-scan"))],
  // By request (INDUS_MCP_CONFORMANCE=1): a server may take minutes, which are waited for. Its runner is TypeScript's.
  ...(process.env.INDUS_MCP_CONFORMANCE ? [["MCP", mcp] as const] : []),
  ["WASM, as a template", wasm(join(ROOT, "packages/induscode/assets/addon-templates/wasm/my-addon"))],
];

it.each(rows(EXAMPLES_OF, ([kind]) => kind === "WASM"))(
  "an example in %s conforms",
  async (_kind, describe) => {
    const { argv, cwd } = await (await describe()).program(NOTHING_ADMITTED);
    const { results, failed } = await runConformance({ argv, cwd }, { times: 30 });
    expect(results.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    expect(failed).toBe(0);
  },
);
