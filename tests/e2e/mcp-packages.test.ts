// MCP servers that people use, as npm installs them: each becomes an addon as docs/guide/mcp.md says it, and a session calls it.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import { registryProblem, shellLine } from "../support/installed.ts";
import { isLong } from "../support/long-form.ts";
import { serverManifest } from "../support/odd-mcp-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

/** With a registry that is far away. */
const INSTALL_MS = 400_000;
const VERSION = "2026.8.31";

interface Package {
  /** Behind the name of its file on its command line. */
  readonly args?: (cwd: string) => readonly string[];
  /** What else its manifest says. */
  readonly more?: (cwd: string) => string;
  readonly tool: string;
  readonly input: (cwd: string) => object;
  /** What the model reads. */
  readonly answer: RegExp;
}

const files = (rights: string): string => `[[capability]]\nkind = "files"\n${rights}\nreason = "x"\n`;

const PACKAGES: Readonly<Record<string, Package>> = {
  "server-everything": { tool: "echo", input: () => ({ message: "hello" }), answer: /^Echo: hello$/ },
  "server-memory": {
    more: () => `[run.env]\nMEMORY_FILE_PATH = "\${HOME}/memory.json"\n`,
    tool: "create_entities",
    input: () => ({ entities: [{ name: "Ada", entityType: "person", observations: ["counts"] }] }),
    answer: /"name": ?"Ada"/,
  },
  "server-filesystem": {
    args: (cwd) => [cwd],
    more: () => files("read = true"),
    tool: "read_text_file",
    input: (cwd) => ({ path: join(cwd, "notes/today.txt") }),
    answer: /^buy milk$/,
  },
  "server-sequential-thinking": {
    tool: "sequentialthinking",
    input: () => ({ thought: "first", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }),
    answer: /"thoughtNumber": ?1/,
  },
};

/** The file that its package.json says is its program. */
function programOf(folder: string, name: string): string {
  const at = join("node_modules/@modelcontextprotocol", name);
  const { bin } = JSON.parse(readFileSync(join(folder, at, "package.json"), "utf8")) as { bin: object };
  return join(at, String(Object.values(bin)[0]));
}

const toolsIn = (text: string): readonly string[] =>
  [...new Set(text.match(/(?<!\/)\bmcp__server__\w+/g))].sort();

describe.skipIf(!isLong)("a package of npm", () => {
  it.for(Object.entries(PACKAGES))(
    "%s",
    { timeout: INSTALL_MS },
    async ([name, { args, more, tool, input, answer }], context) => {
      const place: Workplace = await createServedShared((_, at) =>
        at === 0
          ? { text: "On it.", calls: [{ name: `mcp__server__${tool}`, input: input(place.cwd) }] }
          : { text: "Done." },
      );
      place.file("notes/today.txt", "buy milk");
      const folder = join(place.cwd, ".indus/addons/server");
      mkdirSync(folder, { recursive: true });
      const install = `npm install --ignore-scripts --no-audit --no-fund --fetch-retries=1 --prefix . @modelcontextprotocol/${name}@${VERSION}`;
      const installed = await shellLine(install, folder);
      const problem = registryProblem(installed);
      if (problem !== undefined) context.skip(problem);
      expect(installed).toMatchObject({ ok: true });
      const command = ["node", programOf(folder, name), ...(args?.(place.cwd) ?? [])];
      place.file(".indus/addons/server/manifest.toml", serverManifest("server", command, more?.(place.cwd)));

      const checked = await place.run(["addon", "check", ".indus/addons/server"]);
      expect({ ...checked, stdout: "" }).toMatchObject({ code: 0 });
      const found = await place.run(["addons", "--grant", "server"]);
      const offered = /^ {2}tools +(mcp__.*)$/m.exec(found.stdout)?.[1] ?? found.stdout;
      expect(toolsIn(offered)).toEqual(toolsIn(checked.stdout));

      const flags = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "server"];
      await place.run(["-p", "go", ...flags]);
      expect(place.problems()).toEqual([]);
      const outcomes = place.entries().filter((entry) => entry.type === "tool");
      expect(outcomes.map(({ state, text }) => [state, text])).toEqual([
        ["ok", expect.stringMatching(answer)],
      ]);
    },
  );
});
