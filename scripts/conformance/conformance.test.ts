// The suite against a correct addon, and against wrong ones of which each must fail its own check and no other.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { untilGone } from "../../tests/isolation/processes.ts";
import { LONG_ONLY, rows, theFirst } from "../../tests/support/long-form.ts";
import { createFolder } from "../../tests/support/test-folder.ts";
import { CHECKS } from "./checks.ts";
import { runConformance } from "./conformance.ts";
import type { CheckResult, ProgramUnderTest } from "./contract.ts";
import { summaryLine } from "./report-lines.ts";
import { sampleOf } from "./samples.ts";

const ROOT = join(import.meta.dirname, "../..");
const ADDON = join(import.meta.dirname, "test-addon.sh");

const addon = (flaw: string): ProgramUnderTest => ({ argv: ["/bin/sh", ADDON, flaw], cwd: "/" });
// A correct program answers at once, except on a busy machine.
const PATIENT = { times: 30, bigLineBytes: 40_000 };
// For a flaw that shows as an answer that never comes: not worth waiting ten seconds for.
const QUICK = {
  acknowledgeMs: 4_000,
  answerMs: 8_000,
  cancelGraceMs: 4_000,
  endMs: 4_000,
  bigLineBytes: 40_000,
};

const failures = (results: readonly CheckResult[]): Record<string, string | undefined> =>
  Object.fromEntries(
    results.filter(({ outcome }) => outcome === "failed").map(({ name, detail }) => [name, detail]),
  );

describe("the suite", () => {
  it("passes a correct addon in every check", async () => {
    const told: CheckResult[] = [];
    const report = await runConformance(addon("none"), {
      times: PATIENT.times,
      onResult: (result) => told.push(result),
    });
    expect(failures(report.results)).toEqual({});
    expect(report.results.map(({ outcome }) => outcome)).toEqual(CHECKS.map(() => "passed"));
    expect(told).toEqual(report.results);
    expect(summaryLine(report)).toBe(
      `${CHECKS.length} checks: ${CHECKS.length} passed, 0 failed, 0 skipped\n`,
    );
  });

  const FLAWS: readonly (readonly [flaw: string, check: string, says: RegExp])[] = [
    ["handshake", "handshake", /^expected a registration, found the error -32603 "refused"$/],
    ["registration", "registration", /^the tool "count" would be left out: .* taken by project:conformance$/],
    ["protocol", "registration", /^"protocol" must be 1, which the host asked for; found 2$/],
    ["repeatable", "repeatable", /"version":"1\.0\.\d+".* again, found /],
    ["no-effects", "no-effects", /found alert$/],
    [
      "range",
      "range",
      /^expected an error with the code -32602 for the range \{"min":99,"max":99\}, found the result /,
    ],
    [
      "range-code",
      "range",
      /^expected an error with the code -32602 for .*, found the error -32603 "refused"$/,
    ],
    [
      "contributions",
      "contributions",
      /^handler 0 \(gate of tool:before\): .* result\.stop must be boolean, found string$/,
    ],
    ["refusals", "refusals", /^the command \/hello: .* found none: the program ended with exit code 5$/],
    ["tasks", "tasks", /^expected task\/start of loop to be answered within 500 ms of task\/stop/],
    ["unknown-method", "unknown-method", /^expected an error with the code -32601, found the result \{\}$/],
    [
      "bad-params",
      "bad-params",
      /^expected an error with the code -32602 for event with \{\}, found none: .* exit code 3$/,
    ],
    ["cancel", "cancel", /^expected an answer to task\/start within 4000 ms of its cancellation, found none/],
    [
      "notifications",
      "notifications",
      /^expected one answer to each request; found an answer without the id/,
    ],
    ["big-line", "big-line", /^expected an answer, found none: the program ended with exit code 4$/],
    ["unicode", "unicode", /^expected an answer as to any other text, found none: /],
    [
      "garbage",
      "garbage",
      /^expected an answer to the next message, or an orderly end, found none: .* SIGABRT$/,
    ],
    ["dispose", "dispose", /^expected the program to end within 4000 ms of dispose, found it running$/],
    ["end-of-input", "end-of-input", /^expected the program to end within 4000 ms of the end of its input/],
    ["in-time", "in-time", /^expected an ack or an answer within 4000 ms; tool: neither /],
    ["standard-output", "standard-output", /^expected one JSON message per line, found "a line for people"/],
    ["messages", "messages", /^params\.text is missing: .*"words":"counted"/],
    ["twice", "messages", /^an answer to \d+, which is not an open request/],
  ];

  const SILENT: readonly string[] = ["tasks", "cancel", "unicode", "dispose", "end-of-input", "in-time"];

  /** Of the registration, and of a call. */
  const few = ["registration", "range"];
  it.concurrent.each(rows(FLAWS, ([flaw]) => few.includes(flaw)))(
    "finds the flaw %s by the check %s alone",
    async (flaw, check, says) => {
      const { results } = await runConformance(addon(flaw), SILENT.includes(flaw) ? QUICK : PATIENT);
      expect(failures(results)).toEqual({ [check]: expect.stringMatching(says) });
    },
  );

  it("finds a program that takes what it reads at once for a line", LONG_ONLY, async () => {
    const argv = [process.execPath, join(import.meta.dirname, "test-pieces.mjs")];
    const { results } = await runConformance({ argv, cwd: "/" }, { ...QUICK, bigLineBytes: 4_000 });
    expect(failures(results)).toEqual({
      pieces: expect.stringMatching(/^expected an answer to a message in three/),
    });
  });

  it("has a wrong addon for each of its checks", () => {
    const tried = new Set([...FLAWS.map(([, check]) => check), "pieces"]);
    expect(CHECKS.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
  });

  const silent: readonly (readonly [string, readonly [string, ...string[]], RegExp])[] = [
    ["that cannot be started", ["/nowhere/at/all"], /could not be started: .*ENOENT/],
    [
      "that ends at once",
      ["/bin/sh", "-c", "echo oops >&2; exit 7"],
      /ended with exit code 7; .* with: oops$/,
    ],
    [
      "that says nothing",
      ["/bin/sh", "-c", "while read -r line; do :; done"],
      /no answer to describe after 8000 ms/,
    ],
  ];
  it.each(rows(silent, theFirst))(
    "skips what stands on the handshake of a program %s",
    async (_what, argv, says) => {
      const report = await runConformance({ argv, cwd: "/" }, QUICK);
      expect(report.results[0]).toMatchObject({
        name: "handshake",
        outcome: "failed",
        detail: expect.stringMatching(says),
      });
      expect(report.skipped).toBe(CHECKS.length - 4);
    },
  );

  it("leaves no process behind, whatever the program started", async () => {
    const watched = join(createFolder({ watched: "" }), "watched");
    const argv = ["/bin/sh", "-c", 'touch "$0.begun"; tail -f "$0" & exec tail -f "$0"', watched];
    await runConformance({ argv, cwd: "/" }, { ...QUICK, answerMs: 200 });
    expect(existsSync(`${watched}.begun`)).toBe(true);
    expect(await untilGone(watched, 60_000)).toBeTypeOf("number");
  });
});

describe("npm run conformance", () => {
  const runIn = (env: NodeJS.ProcessEnv, ...args: readonly string[]) => {
    const script = join(ROOT, "scripts/conformance/run.mjs");
    return spawnSync(process.execPath, ["--conditions=indus-source", script, ...args], {
      cwd: ROOT,
      env,
      encoding: "utf8",
    });
  };
  const run = (...args: readonly string[]) => runIn(process.env, ...args);

  it("says what it tests, a line for each check, and how many passed", LONG_ONLY, () => {
    const { status, stdout } = run("--times", "30", "examples/addons/call-budget");
    expect(stdout).toMatch(/^testing .*\/call-budget\/addon\.sh\nok {4}handshake {8}answers describe/);
    expect(stdout).toMatch(/\nskip {2}tasks .*\n {6}it contributes no task\n/);
    expect([status, stdout.split("\n").at(-2)]).toEqual([
      0,
      `${CHECKS.length} checks: 20 passed, 0 failed, 1 skipped`,
    ]);
  });

  it("waits for nothing once it is done, however long the limits are", LONG_ONLY, () => {
    const program = JSON.stringify(addon("none"));
    const script = `
      const { runConformance } = await import(${JSON.stringify(join(import.meta.dirname, "conformance.ts"))});
      const { failed } = await runConformance(${program}, ${JSON.stringify(PATIENT)});
      const timers = process.getActiveResourcesInfo().filter((each) => each === "Timeout");
      process.stdout.write(JSON.stringify({ failed, timers }));
      process.exit();`;
    const args = ["--conditions=indus-source", "--input-type=module", "--eval", script];
    const { stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
    expect(stdout).toBe('{"failed":0,"timers":[]}');
  });

  it("ends with 1 where a check fails, and tests any command behind --", LONG_ONLY, () => {
    const { status, stdout } = run("--", "/bin/sh", ADDON, "unknown-method");
    expect(stdout).toContain("FAIL  unknown-method   answers an unknown method with -32601");
    expect(stdout).toContain("\n      expected an error with the code -32601, found the result {}\n");
    expect(status).toBe(1);
  });

  it.each(
    rows(
      [
        [[], /^usage: npm run conformance/],
        [["--help"], /^usage: npm run conformance/],
        [["--times", "0", "examples/addons/call-budget"], /^usage: npm run conformance/],
        [["examples/embed"], /manifest\.toml: there is no manifest; name a folder that has one/],
        [["examples/addons/safety"], /expected \[run\] command, found no \[run\]/],
      ],
      theFirst,
    ),
  )("ends with 2 where there is nothing to test: %j", (args, says) => {
    const { status, stdout, stderr } = run(...args);
    expect([status, stdout, stderr]).toEqual([2, "", expect.stringMatching(says)]);
  });

  it(
    "refuses a manifest that a session would refuse (the twin: the same program behind --)",
    LONG_ONLY,
    () => {
      const manifest = (name: string): string => `id = "x"\n[run]\ncommand = ["${name}"]\n`;
      const folder = createFolder({
        "bin/mine": `#!/bin/sh\nexec /bin/sh '${ADDON}' none\n`,
        "by-path/manifest.toml": manifest("mine"),
        "outside/manifest.toml": manifest("../bin/mine"),
      });
      chmodSync(join(folder, "bin/mine"), 0o755);
      const env = { ...process.env, PATH: `${join(folder, "bin")}:${process.env.PATH}` };
      for (const [name, says] of [
        ["by-path", 'program "mine" not found in the system\'s folders'],
        ["outside", '"../bin/mine" cannot be run: it is outside the addon\'s folder'],
      ] as const) {
        const { status, stdout, stderr } = runIn(env, join(folder, name));
        expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining(says)]);
      }
      const { status, stdout } = runIn(env, "--times", "30", "--", "mine");
      expect([status, stdout]).toEqual([0, expect.stringContaining(`\n${CHECKS.length} checks: `)]);
    },
  );
});

it.each([
  [{ type: "string", minLength: 8 }, "sample--"],
  [{ type: "integer", minimum: 5 }, 5],
  [{ type: ["number", "null"], maximum: -2 }, -2],
  [{ enum: ["a", "b"] }, "a"],
  [{ type: "array", minItems: 2, items: { type: "boolean" } }, [true, true]],
  [
    { $defs: { a: { const: 3 } }, properties: { x: { $ref: "#/$defs/a" }, y: {} }, required: ["x"] },
    { x: 3 },
  ],
  [{ anyOf: [{ type: "null" }] }, null],
])("a sample of the schema %j fits it", (schema, value) => {
  expect(sampleOf(schema)).toEqual(value);
});
