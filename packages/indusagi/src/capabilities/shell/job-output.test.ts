import { execFile } from "node:child_process";
import { readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import { JobOutput, type OutputWindow, POLL_WINDOW_BYTES } from "./job-output.ts";

const NOTHING = { text: "", skippedBytes: 0, droppedBytes: 0, problem: undefined };

async function create(path: string, maxBytes: number): Promise<JobOutput> {
  const output = await JobOutput.create(path, maxBytes);
  onTestFinished(() => output.close());
  return output;
}

async function outputOf(maxBytes: number, chunks: readonly (string | Uint8Array)[]): Promise<JobOutput> {
  const output = await create(createWorkspace().path("o"), maxBytes);
  for (const chunk of chunks) await output.append(Buffer.from(chunk));
  return output;
}

test("each poll gives the output since the last one", async () => {
  const output = await outputOf(100, ["one\n"]);
  expect(await output.next(false)).toEqual({ ...NOTHING, text: "one\n" });
  expect(await output.next(false)).toEqual(NOTHING);
  await output.append(Buffer.from("two"));
  expect(await output.next(true)).toEqual({ ...NOTHING, text: "two" });
});

test("the end of the output can be looked at, and the next poll still gives what it would have given", async () => {
  const output = await outputOf(100, ["one\n", "zwei €\n"]);
  expect(await output.tail(100)).toBe("one\nzwei €\n");
  expect(await output.tail(3)).toBe("\n"); // two bytes of a character do not make one
  expect(await output.next(false)).toEqual({ ...NOTHING, text: "one\nzwei €\n" });
  expect(await output.tail(100)).toBe("one\nzwei €\n");
});

test("a character that came in two pieces is given whole, once it is whole", async () => {
  const output = await outputOf(100, [Buffer.of(0x61, 0xe2, 0x82)]);
  expect((await output.next(false)).text).toBe("a");
  await output.append(Buffer.of(0xac));
  expect((await output.next(false)).text).toBe("€");
  await output.append(Buffer.of(0xe2));
  expect((await output.next(true)).text).toBe("\ufffd"); // nothing more will come: no reason to wait
});

test("the end of a character whose beginning was passed over is passed over too", async () => {
  const output = await outputOf(1, [Buffer.of(0xf0), Buffer.of(0x90), Buffer.of(0x80)]);
  expect(await output.next(false)).toEqual({ ...NOTHING, skippedBytes: 3, droppedBytes: 2 });
  await output.append(Buffer.of(0x80));
  expect(await output.next(false)).toEqual({ ...NOTHING, skippedBytes: 1 });
  await output.append(Buffer.from("a"));
  expect(await output.next(true)).toEqual({ ...NOTHING, text: "a" });
});

test("a flood shows its last 32 KiB, cut between characters, and counts what it leaves out", async () => {
  const output = await outputOf(1_000_000, ["é".repeat(30_000), "x"]);
  const { text, skippedBytes, droppedBytes } = await output.next(false);
  expect(text).toBe(`${"é".repeat((POLL_WINDOW_BYTES - 2) / 2)}x`);
  expect([skippedBytes, droppedBytes]).toEqual([60_001 - (POLL_WINDOW_BYTES - 1), 0]);
});

test("bytes that are not text never make more than the window", async () => {
  const output = await outputOf(1_000_000, [Buffer.alloc(200_000, 0xff)]);
  expect(Buffer.byteLength((await output.next(false)).text)).toBeLessThanOrEqual(POLL_WINDOW_BYTES);
});

test("the file never grows past its limit, where a plain append does", async () => {
  const ws = createWorkspace();
  const output = await create(ws.path("o"), 1_000);
  for (let i = 0; i < 50; i++) {
    await output.append(Buffer.from(`${i}`.padEnd(70, ".")));
    writeFileSync(ws.path("plain"), `${i}`.padEnd(70, "."), { flag: "a" });
    expect(statSync(ws.path("o")).size).toBeLessThanOrEqual(1_000);
  }
  expect(statSync(ws.path("plain")).size).toBe(3_500);
  const { text, skippedBytes, droppedBytes } = await output.next(true);
  expect(text).toBe(readFileSync(ws.path("plain"), "utf8").slice(-1_000));
  expect([skippedBytes, droppedBytes]).toEqual([2_500, 2_500]);
});

test("however the output is cut, looked at and dropped, every byte is shown or counted once", async () => {
  const ws = createWorkspace();
  let runs = 0;
  const cut = fc.record({ bytes: fc.nat(12), isLookedAt: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "binary", maxLength: 100 }),
      fc.array(cut, { maxLength: 30 }),
      fc.integer({ min: 1, max: 300 }),
      async (text, cuts, maxBytes) => {
        const said = Buffer.from(text);
        const output = await JobOutput.create(ws.path(`${runs++}`), maxBytes);
        const looks: OutputWindow[] = [];
        let at = 0;
        for (const { bytes, isLookedAt } of cuts) {
          await output.append(said.subarray(at, at + bytes));
          at = Math.min(said.length, at + bytes);
          if (isLookedAt) looks.push(await output.next(false));
        }
        await output.append(said.subarray(at));
        looks.push(await output.next(true));
        await output.close();

        const shown = looks.map((look) => look.text).join("");
        const skipped = looks.reduce((sum, look) => sum + look.skippedBytes, 0);
        expect(Buffer.byteLength(shown) + skipped).toBe(said.length);
        if (maxBytes >= said.length) expect(shown).toBe(said.toString());
      },
    ),
    { numRuns: 60 },
  );
});

test("a link planted at the path is refused, where a plain write goes through it", async () => {
  const ws = createWorkspace();
  ws.put("victim", "precious");
  symlinkSync(ws.path("victim"), ws.path("o"));
  await expect(JobOutput.create(ws.path("o"), 100)).rejects.toMatchObject({ code: "EEXIST" });
  expect(readFileSync(ws.path("victim"), "utf8")).toBe("precious");
  writeFileSync(ws.path("o"), "naive");
  expect(readFileSync(ws.path("victim"), "utf8")).toBe("naive");
});

test("only its owner may read it", async () => {
  const ws = createWorkspace();
  await create(ws.path("o"), 100);
  expect(statSync(ws.path("o")).mode & 0o777).toBe(0o600);
});

describe.runIf(process.platform === "linux")("a disk that refuses", () => {
  test("is told, loses no count, and what was kept before stays readable", async () => {
    const ws = createWorkspace();
    const script = `
      const { JobOutput } = await import(${JSON.stringify(join(import.meta.dirname, "job-output.ts"))});
      const output = await JobOutput.create("o", 1_000_000);
      for (const chunk of ["kept", "x".repeat(9_000), "later"]) await output.append(Buffer.from(chunk));
      console.log(JSON.stringify([await output.next(false), await output.next(true)]));
      await output.close();`;
    const node = `'${process.execPath}' --conditions=indus-source --input-type=module -e "$SCRIPT"`;
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", `ulimit -f 8; ${node}`], {
      cwd: ws.root,
      env: { ...process.env, SCRIPT: script },
    });
    const problem = "EFBIG: file too large, write";
    expect(JSON.parse(stdout)).toEqual([
      { text: "kept", skippedBytes: 9_005, droppedBytes: 9_005, problem },
      { text: "", skippedBytes: 0, droppedBytes: 0, problem },
    ]);
  });
});

test("a flood is slowed down to a pace after its first second", async () => {
  const output = await outputOf(1_000, []);
  const chunk = Buffer.alloc(65_536);
  const started = performance.now();
  for (let sent = 0; sent < 48 * 2 ** 20; sent += chunk.length) await output.append(chunk);
  expect(performance.now() - started).toBeGreaterThan(450);
});
