// The table of `docs/guide/exit-codes.md`, for every way to run the command.

import { describe, expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import type { Script } from "../support/model-server.ts";
import { createServedWorkplace } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/scripted"];
const ANSWERS: Script = [{ text: "Done." }];
const REFUSES: Script = [{ trouble: { kind: "status", status: 400, message: "no" } }];
const ADDON = "export function register() {}\n";
const CASSETTE = `{"cassette":1,"about":"x"}\n{"turn":1,"reply":{"message":{"role":"assistant","content":[{"kind":"text","text":"Done."}]}}}\n`;

interface Row {
  readonly args: readonly string[];
  readonly code: number;
  readonly script?: Script;
  readonly lay?: (place: Workplace) => void;
  readonly stdin?: string;
}

const addonFile = (place: Workplace): void => {
  place.file(
    "a.ts",
    'export function register(s) { s.addCommand("go", { summary: "x", run: () => undefined }); }\n',
  );
  place.file("a.cassette.jsonl", CASSETTE);
};

const ROWS: readonly Row[] = [
  { args: ["--version"], code: 0 },
  { args: ["--help"], code: 0 },
  { args: ["--nothing"], code: 2 },
  { args: ["-p", "go", ...MODEL], code: 0, script: ANSWERS },
  { args: ["-p", "go", ...MODEL], code: 1, script: REFUSES },
  { args: ["-p", ...MODEL], code: 2, stdin: "" },
  { args: ["--json", "go", ...MODEL], code: 0, script: ANSWERS },
  { args: ["--json", "go", ...MODEL], code: 1, script: REFUSES },
  { args: ["--json", "go", "--permission-mode", "none", ...MODEL], code: 2 },
  { args: ["-p", "go", "--max-turns", "0", ...MODEL], code: 2 },
  { args: ["-p", "go", "-r", "nothing", ...MODEL], code: 1 },
  { args: MODEL, code: 0, stdin: "/quit\n" },
  { args: ["go", ...MODEL], code: 2, stdin: "" },
  { args: ["session", "verify"], code: 1 },
  { args: ["session", "look"], code: 2 },
  { args: ["skills", "check"], code: 0 },
  { args: ["skills", "check", "nothing"], code: 1 },
  { args: ["agents"], code: 0 },
  { args: ["prompt"], code: 0 },
  { args: ["addons"], code: 0 },
  { args: ["addons", "--timing"], code: 0 },
  { args: ["addons", "explain", "tool:before"], code: 0 },
  { args: ["addons", "explain", "nothing"], code: 2 },
  { args: ["addons", "restart", "nothing"], code: 1 },
  { args: ["addons", "revoke", "nothing"], code: 1 },
  { args: ["addons", "nothing"], code: 2 },
  { args: ["addon", "new", "x", "--kind", "ts"], code: 0 },
  { args: ["addon", "new", "x"], code: 2 },
  { args: ["addon", "check", "a.ts"], code: 0, lay: addonFile },
  { args: ["addon", "check", "a.ts"], code: 1, lay: (place) => place.file("a.ts", "throw 1") && undefined },
  { args: ["addon", "check", "nothing.ts"], code: 1 },
  { args: ["addon", "test", "a.ts"], code: 0, lay: addonFile },
  { args: ["addon", "test", "a.ts"], code: 1, lay: (place) => place.file("a.ts", ADDON) && undefined },
  { args: ["addon", "dev", "a.ts", ...MODEL], code: 0, lay: addonFile, stdin: "/quit\n" },
  { args: ["addon"], code: 2 },
  { args: ["--rehearse"], code: 0 },
];

describe("indus", () => {
  it.each(ROWS.map((row) => ({ ...row, line: row.args.join(" ") })))("$line ends with $code", async (row) => {
    const place = await createServedWorkplace(row.script ?? []);
    row.lay?.(place);
    const { code, stdout, stderr } = await place.run(
      row.args,
      row.stdin === undefined ? {} : { stdin: row.stdin },
    );
    expect({ code, said: `${stdout}${stderr}` }).toEqual({
      code: row.code,
      said: expect.stringMatching(/\S/),
    });
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("-p go ends with %s as %i", async (signal, expected) => {
    const reached = Promise.withResolvers<void>();
    const place = await createServedWorkplace(() => {
      reached.resolve();
      return { trouble: { kind: "silence", after: 0 } };
    });
    const { code } = await place.run(["-p", "go", ...MODEL], {
      onStart: (child) => void reached.promise.then(() => child.kill(signal)),
    });
    expect(code).toBe(expected);
    expect(place.entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
  });
});
