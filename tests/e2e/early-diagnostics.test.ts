// What an addon says of itself while it registers reaches the person: at the start that takes it in, once in a session whose
// process starts later, and with the fault where it is refused; of each kind.

import { describe, expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { rawManifest, rawProgram } from "../support/raw-addon.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { compileReply } from "../support/test-wasm.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

const FLAGS = [
  "-p",
  "go",
  "--model",
  "anthropic/scripted",
  "--permission-mode",
  "bypass",
  "--grant",
  "early",
];
const SAYS =
  '{"jsonrpc":"2.0","method": "diagnostic","params":{"severity":"warning","text":"no rules found"}}';

/** Each says a line while it registers, and then either registers a gate or fails. */
const KINDS: Readonly<Record<string, (fails: boolean) => Files | Promise<Files>>> = {
  TypeScript: (fails) => ({
    ".indus/addons/early.ts": `export function register(s: any) {
  s.host.diagnostic("warning", "no rules found");
  ${fails ? 'throw new Error("oh")' : 's.on("input:submit", { kind: "gate", run() {} })'};
}`,
  }),
  Python: (fails) => ({
    ".indus/addons/early.py": `from induscode.addons import *
def register(s):
    s.host.diagnostic("warning", "no rules found")
    ${fails ? 'raise ValueError("oh")' : 's.on("input:submit", GateHandler(lambda p: None))'}
`,
  }),
  "a program": (fails) => ({
    ".indus/addons/early/manifest.toml": rawManifest("early", {
      handlers: [{ event: "input:submit", kind: "gate" }],
    }),
    ".indus/addons/early/addon.py": rawProgram(
      `if method == "describe":\n    send(json.dumps(${SAYS}) + "\\n")\n    ${fails ? 'fail(id, "oh")' : "answer(id, REGISTRATION)"}\nelse: answer(id, {})`,
    ),
  }),
  WebAssembly: async (fails) => ({
    ".indus/addons/early/manifest.toml": 'id = "early"\n[run]\nwasm = "early.wasm"\n',
    ".indus/addons/early/early.wasm": await compileReply(`
      if (!message.includes('"method":"describe"')) return result(message, "{}");
      call('${SAYS}');
      ${fails ? `return pack('{"jsonrpc":"2.0","id":' + idOf(message) + ',"error":{"code":-32603,"message":"oh"}}');` : `return result(message, '{"protocol":1,"handlers":[{"event":"input:submit","kind":"gate"}]}');`}`),
  }),
};

async function placeWith(files: Files | Promise<Files>): Promise<Workplace> {
  const place = await createServedShared([{ text: "Done." }]);
  for (const [path, content] of Object.entries(await files))
    if (typeof content === "string") place.file(path, content);
    else place.bytes(path, content);
  return place;
}

const told = (stderr: string): readonly string[] =>
  stderr.split("\n").filter((line) => line.includes("no rules found"));

describe.each(rows(Object.entries(KINDS), theFirst))(
  "a line that %s says while it registers",
  (_kind, filesOf) => {
    it("is shown once by each session in which it registers", async () => {
      const place = await placeWith(filesOf(false));
      const first = await place.run(FLAGS);
      expect(first.code, first.stderr).toBe(0);
      expect(told(first.stderr)).toEqual([expect.stringContaining("project:early: warning: no rules found")]);
      // What it registers is known by now: its process starts with its first event, which waits for a gate.
      const second = await place.run(FLAGS);
      expect(told(second.stderr)).toEqual(told(first.stderr));
    });

    it("stands behind the reason where it is refused", LONG_ONLY, async () => {
      const place = await placeWith(filesOf(true));
      const { stderr } = await place.run(FLAGS);
      expect(told(stderr)).toEqual([
        expect.stringMatching(/oh.*; while registering it reported: warning: no rules found$/),
      ]);
    });
  },
);

it(
  "is said once where addons are listed, with what it says in earlier sessions line by line",
  LONG_ONLY,
  async () => {
    const place = await placeWith({
      ".indus/addons/early.ts": `import { observe } from "induscode/addons";
export function register(s: any) {
  s.host.diagnostic("warning", "no rules found");
  s.on("session:start", observe(() => { s.host.diagnostic("info", "one, two"); s.host.diagnostic("error", "three"); }));
}`,
    });
    const grant = ["--grant", "early"];
    const first = await place.run(["addons", ...grant]);
    expect(`${first.stdout}${first.stderr}`.match(/no rules found/g)).toHaveLength(1);
    await place.run(FLAGS);
    const { stdout } = await place.run(["addons", ...grant]);
    expect(stdout.match(/^ {2}said .*$/gm)).toEqual([
      expect.stringMatching(/ warning: no rules found$/), // of the run before: nothing registers now
      ...[/ warning: no rules found$/, / info: one, two$/, / error: three$/].map((line) =>
        expect.stringMatching(line),
      ),
    ]);
  },
);
