// The architecture as data: who may import whom, and who may touch the machine. ARCHITECTURE.md explains the table.
import { describe, expect, test } from "vitest";
import { checkImports, type ImportRules } from "./support/import-graph.ts";
import { productFiles } from "./support/product-files.ts";

/** `name*` is that layer's contract only; `indusagi` is every layer of that package. */
const rules: ImportRules = {
  layers: {
    indusagi: {
      core: "",
      llmgateway: "core",
      runtime: "core llmgateway*",
      capabilities: "core llmgateway* runtime*",
      smithy: "core",
      swarm: "core",
    },
    induscode: {
      store: "core",
      feature: "indusagi store",
      addons: "feature indusagi store",
      briefing: "core llmgateway* store",
      deck: "feature indusagi store",
      conductor: "feature* deck* indusagi store",
      view: "conductor* core llmgateway*",
      console: "view conductor* feature* core",
      tui: "view console conductor* feature* core store",
      channels: "view conductor* feature* core",
      settings: "indusagi store feature deck conductor* view",
      cli: "indusagi store feature deck conductor* console settings",
      session: "indusagi store feature addons briefing deck conductor console view cli settings",
      front: "indusagi store feature addons briefing deck conductor view console tui cli settings session",
      parts:
        "indusagi store feature addons briefing deck conductor view console tui channels cli settings session front",
      boot: "indusagi store feature addons briefing deck conductor view console tui channels cli settings session front parts",
    },
  },
  contracts: {
    "induscode/src/feature":
      "descriptor tool command handler interceptor services memory-service sessions-service work-items-service " +
      "install install-report permission decision ui events",
  },
  // Which room of `addons` may import which; the folder's `contract.ts` is for all of them.
  rooms: {
    "induscode/src/addons": {
      source: "",
      kit: "",
      "process/protocol": "",
      runners: "kit process/protocol",
      "runners/mcp": "kit process/protocol runners",
      "runners/hooks": "kit process/protocol runners",
      "sandbox/calls": "",
      "sandbox/hosts": "",
      sandbox: "sandbox/calls sandbox/hosts source process/protocol process* runners",
      "sandbox/root-window": "source sandbox",
      process: "source process/protocol sandbox sandbox/root-window",
      kinds:
        "source process/protocol process sandbox sandbox/hosts sandbox/root-window runners runners/hooks",
      author: "source kinds",
    },
  },
  // Which part knows which other one. Those without a row know none.
  apart: {
    "induscode/src/feature": {},
    "induscode/src/parts": {
      acp: "packages",
      author: "replay",
      blame: "checkpoints crew",
      console: "permissions",
      crew: "delegates export",
      doctor: "crew",
      jobs: "delegates",
      mcp: "addons author packages",
      packages: "author",
      prompt: "addons",
      replay: "checkpoints",
      serve: "console delegates packages",
      "stream-json": "packages",
      view: "export",
    },
  },
  // An addon imports the kit by its address as well, and the two must be one module.
  modules: ["induscode/src/addons/kit/index.ts"],
  raw: [
    {
      modules: ["node:fs", "node:fs/promises"],
      files: [
        "indusagi/src/core/{bounded-file,process-facts}.ts",
        "indusagi/src/capabilities/backends/**",
        "indusagi/src/capabilities/search/match-thread.ts",
        "indusagi/src/capabilities/shell/{job-*,whole-outputs}.ts",
        "indusagi/src/llmgateway/{cassette-player,cassette-recorder,credentials}.ts",
        "indusagi/src/swarm/board-log.ts",
        "induscode/src/addons/**",
        "induscode/src/boot/**",
        "induscode/src/cli/{assets,invocation,secrets,write-output}.ts",
        "induscode/src/front/**",
        "induscode/src/parts/**",
        "induscode/src/settings/**",
        "induscode/src/briefing/{folder-entries,text-file}.ts",
        "induscode/src/conductor/{fork,log,log-file,log-reader,move-log,session-facts,sessions,unwritable-log}.ts",
        "induscode/src/session/**",
        "induscode/src/store/**",
      ],
    },
    {
      modules: ["node:child_process"],
      files: [
        "indusagi/src/capabilities/backends/**",
        "induscode/src/{addons,parts}/**",
        "induscode/src/{boot/sdk/child/indus-process,front/editor-desk,settings/key-command}.ts",
      ],
    },
    {
      modules: ["node:http", "node:https", "node:http2", "node:net", "node:tls", "node:dgram", "node:dns"],
      files: [
        "indusagi/src/llmgateway/**",
        "indusagi/src/capabilities/backends/**",
        "indusagi/src/capabilities/web/**",
        "induscode/src/addons/**",
        "induscode/src/parts/{serve/connect,serve/listen,telemetry/span-sender,view/page-server}.ts",
      ],
    },
  ],
};

test("every import in the packages follows the table", () => {
  const files = productFiles();
  expect(files.size).toBeGreaterThan(0);
  expect(checkImports(files, rules)).toEqual([]);
});

describe("the check reports", () => {
  const examples: readonly {
    readonly name: string;
    readonly files: Record<string, string>;
    readonly says: readonly string[];
  }[] = [
    {
      name: "a layer above",
      files: {
        "indusagi/src/core/ids.ts": `import type { Turn } from "../runtime/contract.ts";`,
        "indusagi/src/runtime/contract.ts": "export interface Turn {}",
      },
      says: ["indusagi/src/core/ids.ts: core may not import runtime (../runtime/contract.ts)"],
    },
    {
      name: "the framework importing the product",
      files: {
        "indusagi/src/core/ids.ts": `import { grant } from "induscode/feature";`,
        "induscode/src/feature/index.ts": "export const grant = 1;",
      },
      says: ["indusagi/src/core/ids.ts: core may not import feature (induscode/feature)"],
    },
    {
      name: "anything importing boot",
      files: {
        "induscode/src/boot/subcommands.ts": "export const rows = 1;",
        "induscode/src/console/app.ts": `const { rows } = await import("../boot/subcommands.ts"); export { rows };`,
      },
      says: ["induscode/src/console/app.ts: console may not import boot (../boot/subcommands.ts)"],
    },
    {
      name: "more than the contract where the table has a star",
      files: {
        "induscode/src/conductor/contract.ts": "export interface Session {}",
        "induscode/src/conductor/log.ts": "export const log = 1;",
        "induscode/src/console/app.ts": `import type { Session } from "../conductor/contract.ts";\nimport { log } from "../conductor/log.ts";\nexport { log, type Session };`,
      },
      says: [
        "induscode/src/console/app.ts: console may import the contract of conductor only (../conductor/log.ts)",
      ],
    },
    {
      name: "more than the files that the table names as a folder's contract",
      files: {
        "induscode/src/feature/registry.ts": "export const registry = 1;",
        "induscode/src/feature/tool.ts": "export interface Tool {}",
        "induscode/src/console/app.ts": `import type { Tool } from "../feature/tool.ts"; import "../feature/registry.ts"; export { type Tool };`,
      },
      says: [
        "induscode/src/console/app.ts: console may import the contract of feature only (../feature/registry.ts)",
      ],
    },
    {
      name: "values, and names that are not the contract's, through another package's door",
      files: {
        "indusagi/src/llmgateway/contract.ts": "export interface Gateway {}",
        "indusagi/src/llmgateway/index.ts": `export type { Gateway } from "./contract.ts"; export interface Agent {}`,
        "induscode/src/briefing/agent.ts": `import type { Agent } from "indusagi/llmgateway";`,
        "induscode/src/briefing/all.ts": `import type * as all from "indusagi/llmgateway";`,
        "induscode/src/briefing/good.ts": `import type { Gateway } from "indusagi/llmgateway";`,
        "induscode/src/briefing/value.ts": `import { type Gateway, open } from "indusagi/llmgateway";`,
      },
      says: [
        "induscode/src/briefing/agent.ts: briefing may import the contract of llmgateway only (indusagi/llmgateway)",
        "induscode/src/briefing/all.ts: briefing may import the contract of llmgateway only (indusagi/llmgateway)",
        "induscode/src/briefing/value.ts: briefing may import the contract of llmgateway only (indusagi/llmgateway)",
      ],
    },
    {
      name: "a room that another may not see, one without a row, and what lies outside the rooms",
      files: {
        "induscode/src/addons/contract.ts": "export interface Source {}",
        "induscode/src/addons/host.ts": `import "./kinds/load.ts"; import "./source/find.ts";`,
        "induscode/src/addons/cellar/wine.ts": `import type { Source } from "../contract.ts"; import "../source/find.ts";`,
        "induscode/src/addons/kinds/load.ts": `import "../source/find.ts"; import "../host.ts";`,
        "induscode/src/addons/process/contract.ts": "export interface Program {}",
        "induscode/src/addons/process/start.ts": "export const start = 1;",
        "induscode/src/addons/sandbox/spec.ts": `import type { Program } from "../process/contract.ts"; import "../process/start.ts";`,
        "induscode/src/addons/source/find.ts": `import type { Source } from "../contract.ts"; import "../kinds/load.ts";`,
      },
      says: [
        "induscode/src/addons/cellar/wine.ts: no row in the table of rooms for induscode/src/addons/cellar",
        "induscode/src/addons/cellar/wine.ts: no row in the table of rooms for induscode/src/addons/cellar",
        expect.stringMatching(/^induscode\/src\/addons\/host.ts: circle of imports/),
        expect.stringMatching(/^induscode\/src\/addons\/kinds\/load.ts: circle of imports/),
        "induscode/src/addons/kinds/load.ts: kinds may not import what lies outside the rooms (../host.ts)",
        "induscode/src/addons/sandbox/spec.ts: sandbox may not import process (../process/start.ts)",
        "induscode/src/addons/source/find.ts: source may not import kinds (../kinds/load.ts)",
      ],
    },
    {
      name: "a part that knows another one without a row",
      files: {
        "induscode/src/parts/crew/work.ts": `import "../delegates/desk.ts"; import "./trees/tree.ts";`,
        "induscode/src/parts/crew/trees/tree.ts": `const left = () => import("../../memory/memory.ts"); export { left };`,
        "induscode/src/parts/delegates/desk.ts": "export const desk = 1;",
        "induscode/src/parts/memory/memory.ts": `import type { desk } from "../delegates/desk.ts";`,
      },
      says: [
        "induscode/src/parts/crew/trees/tree.ts: crew may not import memory without a row in the table (../../memory/memory.ts)",
        "induscode/src/parts/memory/memory.ts: memory may not import delegates without a row in the table (../delegates/desk.ts)",
      ],
    },
    {
      name: "a circle, type-only and dynamic imports included",
      files: {
        "indusagi/src/core/a.ts": `import type { B } from "./b.ts"; export interface A { b: B }`,
        "indusagi/src/core/b.ts": `export interface B { c: import("./c.ts").C }`,
        "indusagi/src/core/c.ts": `export const c = () => import("./a.ts"); export interface C {}`,
        "indusagi/src/core/entry.ts": `export * from "./b.ts";`,
      },
      says: [
        "indusagi/src/core/a.ts: circle of imports: indusagi/src/core/a.ts -> indusagi/src/core/b.ts -> indusagi/src/core/c.ts -> indusagi/src/core/a.ts",
      ],
    },
    {
      name: "a door used from inside its package",
      files: {
        "indusagi/src/capabilities/files/read.ts": `export { kernel } from "../kernel/index.ts"; import "../index.ts";`,
        "indusagi/src/capabilities/index.ts": "export const all = 1;",
        "indusagi/src/capabilities/kernel/index.ts": "export const kernel = 1;",
      },
      says: [
        "indusagi/src/capabilities/files/read.ts: imports a door of its own package (../index.ts): import the file itself",
        "indusagi/src/capabilities/files/read.ts: imports a door of its own package (../kernel/index.ts): import the file itself",
      ],
    },
    {
      name: "files, processes and sockets outside the places that own them",
      files: {
        "induscode/src/boot/cli.ts": `import { readFileSync } from "node:fs";`,
        "induscode/src/deck/deck.ts": `import { join } from "node:path"; import * as fs from "node:fs/promises";`,
        "induscode/src/feature/task.ts": `import type { ChildProcess } from "node:child_process";`,
        "indusagi/src/runtime/loop.ts": `const http = await import("node:http");`,
      },
      says: [
        expect.stringMatching(
          /^indusagi\/src\/runtime\/loop.ts: may not use node:http: only indusagi\/src\/llmgateway/,
        ),
        expect.stringMatching(/^induscode\/src\/deck\/deck.ts: may not use node:fs\/promises: only /),
        expect.stringMatching(/^induscode\/src\/feature\/task.ts: may not use node:child_process: only /),
      ],
    },
    {
      name: "a folder that the table does not know, a missing file, a way round the package's door",
      files: {
        "indusagi/src/core/index.ts": "export const core = 1;",
        "indusagi/src/extras/a.ts": "export const a = 1;",
        "induscode/src/feature/b.ts": `export * from "../../../indusagi/src/core/index.ts";`,
        "induscode/src/feature/c.ts": `import "./gone.ts";`,
        "induscode/src/feature/d.ts": `import "induscode/feature";`,
        "induscode/src/feature/e.ts": `import "indusagi/core/ids";`,
      },
      says: [
        "indusagi/src/extras/a.ts: no row in the layer table for indusagi/extras",
        "induscode/src/feature/b.ts: reaches indusagi/src/core/index.ts by a relative path: import indusagi/<layer>",
        "induscode/src/feature/c.ts: imports ./gone.ts, but there is no file induscode/src/feature/gone.ts",
        "induscode/src/feature/d.ts: imports its own package as induscode/feature: use a relative path",
        "induscode/src/feature/e.ts: imports indusagi/core/ids, but there is no file indusagi/src/core/ids/index.ts",
      ],
    },
  ];

  test.each(examples)("$name", ({ files, says }) => {
    expect(checkImports(new Map(Object.entries(files)), rules)).toEqual(says);
  });

  test("nothing in a well-behaved tree", () => {
    const files = new Map([
      ["indusagi/src/core/ids.ts", `import { randomUUID } from "node:crypto"; export const id = randomUUID;`],
      ["indusagi/src/core/index.ts", `export { id } from "./ids.ts";`],
      ["indusagi/src/llmgateway/contract.ts", `import { id } from "../core/ids.ts"; export const use = id;`],
      [
        "indusagi/src/runtime/loop.ts",
        `import { use } from "../llmgateway/contract.ts"; const text = 'import "../boot/x.ts"';`,
      ],
      ["induscode/src/boot/cli.ts", `import { id } from "indusagi/core";`],
    ]);
    expect(checkImports(files, rules)).toEqual([]);
  });
});
