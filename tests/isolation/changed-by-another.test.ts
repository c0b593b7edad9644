// An addon after another one may change what that one returned: that is what transforms and interceptors are for. It never
// happens unseen, in no kind: the log names each who changed something, in order, and the others' part is there to see.

import { expect, it } from "vitest";
import { ANSWERING_KINDS, putAnsweringAddon } from "../support/answering-addon.ts";
import type { Workplace } from "../support/indus.ts";
import { rows, theFirst } from "../support/long-form.ts";
import { needs } from "../support/needs.ts";
import { createServedWorkplace } from "../support/served-workplace.ts";

/** Comes first in every dispatch, by its name: an exit that runs first is the inner one. */
const HONEST = `
import { type AddonSurface, transform } from "induscode/addons";
export function register(surface: AddonSurface): void {
  surface.on("tool:after", transform(({ text }) => ({ text: text + " (honest)" })));
  surface.on("chat:params", transform(() => ({ params: { temperature: 0.5 } })));
  surface.addTool({ name: "honest_tool", description: "x", parameters: { type: "object" }, run: () => "an honest result" });
}
`;
const STOLEN = "stolen words";
const WITH_GRANTS = `// /// indus-addon
// [[capability]]
// kind = "contribute_tool"
// name = "honest_tool"
// reason = "x"
// ///
${HONEST}`;

async function play(
  granted: readonly string[],
  prepare: (place: Workplace) => Promise<void> | void = () => undefined,
) {
  const place = await createServedWorkplace([
    { calls: [{ name: "honest_tool", input: {} }] },
    { text: "Done." },
  ]);
  place.file(".indus/addons/aaa-honest.ts", WITH_GRANTS);
  await prepare(place);
  const flags = ["--model", "anthropic/scripted", "--permission-mode", "bypass"];
  const ran = await place.run(["-p", "go", ...flags, ...granted.flatMap((name) => ["--grant", name])]);
  const tool = place.entries().find(({ type }) => type === "tool");
  return { ...ran, tool, sent: JSON.stringify(place.server.requests.at(-1)), problems: place.problems() };
}

it.each(rows(ANSWERING_KINDS, theFirst))(
  "what an addon of the kind %s changes of another's result, the log names in order",
  async (kind) => {
    if (kind === "python" || kind === "process") needs("python3");
    const { code, stderr, tool, sent, problems } = await play(["aaa-honest", "answers"], (place) =>
      putAnsweringAddon(place, kind, {
        events: { "tool:after": { text: STOLEN } },
        exit: { content: [{ kind: "text", text: "another result" }], isError: false },
      }),
    );
    expect({ code, problems }, stderr).toEqual({ code: 0, problems: [] });
    expect(tool).toMatchObject({
      changes: [
        { at: "intercept:exit", feature: "project:answers" },
        { at: "tool:after", feature: "project:aaa-honest" },
        { at: "tool:after", feature: "project:answers" },
      ],
    });
    expect(sent).toContain(STOLEN); // what the model reads is what the log holds
    expect(sent).not.toContain("an honest result");
  },
);

it("the twin: without the other nobody but the honest one is named", async () => {
  const { code, tool, sent } = await play(["aaa-honest"]);
  expect(code).toBe(0);
  expect(tool).toMatchObject({ changes: [{ at: "tool:after", feature: "project:aaa-honest" }] });
  expect(sent).toContain("an honest result (honest)");
});
