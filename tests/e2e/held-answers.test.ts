// What a feature may change in the model's message, nobody sees before it has: in every mode, from every kind of addon. Where
// none may, answers stream as they come.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ANSWERING_KINDS, type AnsweringKind, putAnsweringAddon } from "../support/answering-addon.ts";
import type { Workplace } from "../support/indus.ts";
import { isLong, LONG_ONLY } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const SCRIPT: Script = [
  { thinking: "Word is PEACOCK.", text: "The word is PEACOCK, and no other.", pieces: 9 },
];
const MODEL = ["--model", "anthropic/scripted"];

type Run = (place: Workplace, flags: readonly string[]) => ReturnType<Workplace["run"]>;
const MODES: Readonly<Record<string, Run>> = {
  console: (place, flags) => place.run(flags, { stdin: "say it\n" }),
  print: (place, flags) => place.run(["-p", "say it", ...flags]),
  json: (place, flags) => place.run(["--json", "say it", ...flags]),
};

/** Every mode with one kind; each with each in the long form. */
const CELLS = ANSWERING_KINDS.flatMap((kind, at) =>
  Object.keys(MODES)
    .filter((_, mode) => isLong || mode === at)
    .map((mode) => [mode, kind] as const),
);

async function runWith(mode: string, kind: AnsweringKind | undefined) {
  const place = await createServedShared(SCRIPT);
  const events = { "chat:message": { message: { content: "The word is [hidden]." } } };
  if (kind) await putAnsweringAddon(place, kind, { events });
  const flags = kind === undefined ? MODEL : [...MODEL, "--grant", "answers"];
  const { code, stdout, stderr } = await (MODES[mode] as Run)(place, flags);
  return { code, shown: stdout + stderr, place };
}

describe("an answer that an addon changes", () => {
  it.each(CELLS)("is shown changed, and only so (%s, %s)", async (mode, kind) => {
    const { code, shown, place } = await runWith(mode, kind);
    expect(code).toBe(0);
    expect(shown).toContain("The word is [hidden].");
    expect(shown).not.toMatch(/PEACOCK|PEA|COCK/);
    // The log explains the change with the model's own words.
    expect(readFileSync(place.logs().at(-1) ?? "", "utf8")).toContain("PEACOCK");
  });

  it.each(Object.keys(MODES))("the twin: without the addon the mode %s shows it", LONG_ONLY, async (mode) => {
    const { shown } = await runWith(mode, undefined);
    expect(shown).toContain("PEACOCK");
  });
});

it("indus addons says which addon holds answers back", async () => {
  const { place } = await runWith("print", "ts");
  const { stdout } = await place.run(["addons", "--grant", "answers"]);
  expect(stdout).toContain(
    "it may change the model's answers (chat:message), so they are shown when they are complete",
  );
});

it(
  "an addon that only looks at messages leaves them streaming (twin: one that transforms does not)",
  LONG_ONLY,
  async () => {
    const deltas = async (handler: string): Promise<number> => {
      const place = await createServedShared(SCRIPT);
      place.file(
        ".indus/addons/answers.ts",
        `import { observe, transform } from "induscode/addons";
       export const register = (surface: any) => surface.on("chat:message", ${handler});`,
      );
      const { stdout } = await place.run(["--json", "say it", ...MODEL, "--grant", "answers"]);
      const lines = stdout.split("\n").filter((line) => line !== "");
      return lines.filter((line) => (JSON.parse(line) as { readonly type: string }).type === "delta").length;
    };
    expect(await deltas("observe(() => undefined)")).toBeGreaterThan(0);
    expect(await deltas("transform(() => undefined)")).toBe(0);
  },
);
