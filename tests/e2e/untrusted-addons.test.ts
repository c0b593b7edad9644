// A repository with more addons than anybody looks through: what is left is one line, where the person reads it, in every way to
// run, and the start neither waits for them nor holds their bytes.

import { closeSync, mkdirSync, openSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { measuredNode } from "../support/measured-node.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { PATIENCE_MS } from "../support/until.ts";

const SPARSE_BYTES = 60 * 1024 ** 2;
const COUNT = 200;
/** A start takes 80 MB; the largest addon that is looked at has 64. All of them have 12 GB. */
const MOST_MEMORY = 512 * 1024 ** 2;
const LINE =
  /199 addons were skipped \(.*bomb-001\.ts, .*bomb-002\.ts, .*bomb-003\.ts, …\): at most 200 untrusted addons are examined, with 64 MB and 12,000 files in total\. Remove what is too large, or load one by path: --addon PATH/g;

describe("200 untrusted addons of 60 MiB", { timeout: 4 * PATIENCE_MS }, () => {
  const WAYS: readonly (readonly [string, readonly string[]])[] = [
    ["-p", ["-p", "go", "--model", "anthropic/x"]],
    ["--json", ["-p", "go", "--json", "--model", "anthropic/x"]],
    ["indus addons", ["addons"]],
  ];

  it.each(rows(WAYS, theFirst))("%s: are one line, and not held in memory", async (_, args) => {
    const { run, cwd, home, server } = await createServedShared([{ text: "done" }]);
    const folder = join(cwd, ".indus/addons");
    mkdirSync(folder, { recursive: true });
    for (let at = 0; at < COUNT; at++) {
      const path = join(folder, `bomb-${String(at).padStart(3, "0")}.ts`);
      closeSync(openSync(path, "w"));
      truncateSync(path, SPARSE_BYTES);
    }
    const peak = join(home, "peak");
    const { code, stdout, stderr } = await run(args, { env: measuredNode(home, peak) });
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(`${stdout}${stderr}`.match(LINE)).toHaveLength(1);
    expect(Number(readFileSync(peak, "utf8")) * 1024).toBeLessThan(MOST_MEMORY);
    expect(server.requests).toHaveLength(args[0] === "addons" ? 0 : 1);
  });

  it("one that is named is looked at, and the line counts the others (the twin)", LONG_ONLY, async () => {
    const { run, cwd, file } = await createServedShared([{ text: "done" }]);
    file(".indus/addons/a.ts", "export function register() {}\n");
    for (const name of ["b.ts", "c.ts"]) {
      const path = join(cwd, ".indus/addons", name);
      closeSync(openSync(path, "w"));
      truncateSync(path, SPARSE_BYTES);
    }
    const { stderr } = await run(["-p", "go", "--model", "anthropic/x"]);
    expect(stderr).toContain("1 addon was skipped");
    expect(stderr).toContain("a.ts is not trusted yet");
    const { stderr: named } = await run(["addons", "--grant", "a"]);
    expect(named).not.toContain("a.ts is not trusted yet");
  });
});
