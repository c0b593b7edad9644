import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  complete,
  createScriptedConductor,
  faulted,
  retry,
  type Script,
  text,
  toolEnd,
} from "../../../../tests/support/scripted-conductor.ts";
import type { SettledView } from "../view/contract.ts";
import { runPrint } from "./print.ts";

// The product injects the console's function; here a line is the item's own words.
function describeItem(item: SettledView): string | undefined {
  if (item.kind === "call") return `${item.state} ${item.name} ${item.title}`;
  if (item.kind === "retry") return "retrying";
  if (item.kind === "alert") return `! ${item.text}`;
  return item.kind === "fault" ? `indus: ${item.fault.message}` : undefined;
}

function collector(): { readonly stream: PassThrough; readonly written: () => string } {
  const stream = new PassThrough();
  let written = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    written += chunk;
  });
  return { stream, written: () => written };
}

async function print(
  script: Script,
  isTerminal: { stdout?: boolean; stderr?: boolean } = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const out = collector();
  const err = collector();
  const code = await runPrint({
    conductor: createScriptedConductor([script]),
    content: [{ kind: "text", text: "do it" }],
    stdout: out.stream,
    stderr: err.stream,
    isTerminal: { stdout: false, stderr: false, ...isTerminal },
    describe: describeItem,
  });
  return { code, out: out.written(), err: err.written() };
}

describe("print", () => {
  test("the last answer on stdout, progress on stderr", async () => {
    const steps = [
      text("Let me look…"),
      { kind: "tool_start", callId: "c", name: "read", title: "a.ts", input: { path: "a.ts" } } as const,
      toolEnd("read", "a.ts", "ok", 3),
      retry(),
      { kind: "alert", text: "careful" } as const,
      text("All done."),
    ];
    expect(await print({ steps, end: complete("All done.") })).toEqual({
      code: 0,
      out: "All done.\n",
      err: "ok read a.ts\nretrying\n! careful\n",
    });
  });

  test("what a feature says while the answer is still being written is said", async () => {
    const conductor = createScriptedConductor([{ steps: [], end: complete("All done.") }]);
    const err = collector();
    let isSaid = false;
    const stdout = new Writable({
      write(_chunk, _encoding, done) {
        if (!isSaid) conductor.emit({ kind: "fault", fault: { kind: "feature", message: "late" } });
        isSaid = true;
        done();
      },
    });
    const code = await runPrint({
      ...{ conductor, stdout, stderr: err.stream, describe: describeItem },
      content: [{ kind: "text", text: "do it" }],
      isTerminal: { stdout: false, stderr: false },
    });
    expect([code, err.written()]).toEqual([0, "indus: late\n"]);
  });

  test("an answer that ends its line gets no second one", async () => {
    expect((await print({ steps: [], end: complete("a\n") })).out).toBe("a\n");
  });

  test("a terminal gets the answer made printable, a pipe every byte of it", async () => {
    const end = complete("a\x1b]52;c;AAAA\x07b\x9b2Jc\r\n");
    expect((await print({ steps: [], end }, { stdout: true })).out).toBe("abc\n");
    expect((await print({ steps: [], end })).out).toBe("a\x1b]52;c;AAAA\x07b\x9b2Jc\r\n");
  });

  test("a fault is exit code 1 and one line, said once", async () => {
    const end = faulted("model", "no key");
    expect(await print({ steps: [], end })).toEqual({ code: 1, out: "", err: "indus: no key\n" });
    const told = { kind: "fault", fault: { kind: "model", message: "no key" } } as const;
    expect(await print({ steps: [told], end })).toEqual({ code: 1, out: "", err: "indus: no key\n" });
  });

  test("an abort is exit code 130", async () => {
    expect(await print({ steps: [], end: { kind: "aborted" } })).toEqual({
      code: 130,
      out: "",
      err: "indus: stopped\n",
    });
  });

  test("an answer that was cut, refused or empty says so", async () => {
    expect(await print({ steps: [], end: { kind: "complete", text: "ha", stop: "max_output" } })).toEqual({
      code: 4,
      out: "ha\n",
      err: "indus: the answer was truncated: the model reached its output limit\n",
    });
    const refused = await print({ steps: [], end: { kind: "complete", text: "", stop: "refusal" } });
    expect(refused).toEqual({ code: 4, out: "", err: "indus: the model refused to answer\n" });
    const blank = await print({ steps: [], end: complete("") });
    expect(blank).toEqual({ code: 0, out: "", err: "indus: the model's last message is empty\n" });
  });

  test("a terminal sees a spinner, of which nothing stays; a pipe never does", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const wait = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(250));
    const script = { steps: [wait, toolEnd("read", "a.ts", "ok", 3), wait], end: complete("x") };
    const { err } = await print(script, { stderr: true });
    expect(err).toMatch(/^\r\x1b\[K⠋ working… \d+ s\r\x1b\[K⠙ working… \d+ s/);
    expect(err.endsWith("\r\x1b[K")).toBe(true);
    // What remains on the rows after each clear.
    expect(err.replace(/[^\n]*\r\x1b\[K/g, "")).toBe("ok read a.ts\n");
    expect((await print(script)).err).toBe("ok read a.ts\n");
  });

  test("no timer is left when it ends, and none is started for a pipe", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const during: number[] = [];
    const look = (): void => void during.push(vi.getTimerCount());
    await print({ steps: [look], end: complete("x") });
    await print({ steps: [look], end: complete("x") }, { stderr: true });
    expect([...during, vi.getTimerCount()]).toEqual([0, 1, 0]);
  });

  test("a reader that has left is no error", async () => {
    const program = `
      const { runPrint } = await import(${JSON.stringify(new URL("./print.ts", import.meta.url).href)});
      const end = { kind: "complete", text: "x".repeat(1_000_000), stop: "complete" };
      const conductor = { submit: () => new Promise((go) => process.stdin.once("data", () => go(end))), subscribe: () => () => {} };
      const isTerminal = { stdout: false, stderr: false };
      const { stdout, stderr } = process;
      process.exitCode = await runPrint({ conductor, content: [], stdout, stderr, isTerminal, describe: () => undefined });
      process.stdin.destroy();
    `;
    const child = spawn(process.execPath, [
      "--conditions=indus-source",
      "--input-type=module",
      "-e",
      program,
    ]);
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      err += chunk;
    });
    child.stdout.destroy();
    child.stdin.write("go");
    const [code] = await once(child, "close");
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test("an answer that cannot be written is exit code 1", async () => {
    const full = new Writable({
      write: (_chunk, _encoding, done) => done(new Error("ENOSPC: no space left")),
    });
    const err = collector();
    const code = await runPrint({
      conductor: createScriptedConductor([{ steps: [], end: complete("x") }]),
      content: [],
      stdout: full,
      stderr: err.stream,
      isTerminal: { stdout: false, stderr: false },
      describe: describeItem,
    });
    expect([code, err.written()]).toEqual([1, "indus: cannot write the answer: ENOSPC: no space left\n"]);
  });
});
