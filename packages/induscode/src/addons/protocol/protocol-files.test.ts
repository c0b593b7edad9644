// What is generated from the schema is fresh, and the check that says so notices a change.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const ROOT = join(import.meta.dirname, "../../../../..");
const SCHEMA = join(import.meta.dirname, "addon-protocol.schema.json");

function check(...args: readonly string[]) {
  const script = join(ROOT, "scripts/protocol/generate.mjs");
  const { status, stderr } = spawnSync(process.execPath, [script, "--check", ...args], { encoding: "utf8" });
  return { status, stderr };
}

it("the files made from the schema are what it says", () => {
  expect(check()).toEqual({ status: 0, stderr: "" });
});

it.each([
  ["a description", '"description": "The model called a tool', '"description": "The model CALLED a tool', 3],
  ["an error code", '"code": -32003', '"code": -32004', 3],
  ["a bound", '"maxLength": 16384', '"maxLength": 16385', 4],
])("a change of %s in the schema is noticed", (_what, before, after, files) => {
  const folder = mkdtempSync(join(tmpdir(), "indus-protocol-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const text = readFileSync(SCHEMA, "utf8");
  const changed = join(folder, "schema.json");
  writeFileSync(changed, text.replace(before, after));
  const { status, stderr } = check(`--schema=${changed}`);
  expect(status).toBe(1);
  const stale = stderr.match(/is not what its schema says: run npm run protocol/g);
  expect(stale).toHaveLength(files);
});
