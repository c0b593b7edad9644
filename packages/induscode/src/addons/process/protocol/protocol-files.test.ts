// The files generated from the schemas are up to date, and the check for that notices a change.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { firstOf, rows } from "../../../../../../tests/support/long-form.ts";

const ROOT = join(import.meta.dirname, "../../../../../..");
const SCHEMA = join(import.meta.dirname, "addon-protocol.schema.json");
const EVENTS_SCHEMA = join(import.meta.dirname, "../../../feature/events.schema.json");

function check(...args: readonly string[]) {
  const script = join(ROOT, "scripts/protocol/generate.mjs");
  const { status, stderr } = spawnSync(process.execPath, [script, "--check", ...args], { encoding: "utf8" });
  return { status, stderr };
}

it("the files made from the schema are what it says", () => {
  expect(check()).toEqual({ status: 0, stderr: "" });
});

it.each(
  rows(
    [
      [
        "schema",
        "a description",
        '"description": "The model called a tool',
        '"description": "The model CALLED a tool',
        2,
      ],
      ["schema", "an error code", '"code": -32003', '"code": -32004', 3],
      ["schema", "a bound", '"maxLength": 16384', '"maxLength": 16385', 3],
      [
        "events",
        "an event's description",
        '"description": "A session closed.',
        '"description": "A session CLOSED.',
        1,
      ],
      ["events", "what the log says", '"logged": "a veto entry"', '"logged": "a VETO entry"', 1],
      [
        "events",
        "a field's description",
        '"description": "The tool\'s name."',
        '"description": "The NAME."',
        2,
      ],
      ["events", "a bound", '"maximum": 2,', '"maximum": 3,', 3],
    ] as const,
    firstOf(([file]) => file),
  ),
)("a change in the %s is noticed (%s)", (which, _what, before, after, files) => {
  const folder = mkdtempSync(join(tmpdir(), "indus-protocol-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const text = readFileSync(which === "schema" ? SCHEMA : EVENTS_SCHEMA, "utf8");
  expect(text).toContain(before);
  const changed = join(folder, "schema.json");
  writeFileSync(changed, text.replace(before, after));
  const { status, stderr } = check(`--${which}=${changed}`);
  expect(status).toBe(1);
  const stale = stderr.match(/is not what its schema says: run npm run protocol/g);
  expect(stale).toHaveLength(files);
});
