// --output-schema through the real command: the answer fits, or the run fails and says why.

import { describe, expect, it } from "vitest";
import { rows, theFirst } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const SCHEMA = {
  type: "object",
  properties: { risks: { type: "array", items: { type: "string" } } },
  required: ["risks"],
  additionalProperties: false,
};
const GOOD = '{"risks":["fire"]}';
const ARGS = ["--model", "anthropic/x", "--output-schema", "schema.json", "list the risks"];

async function place(...texts: readonly string[]) {
  const made = await createServedShared(texts.map((text) => ({ text })));
  made.file("schema.json", JSON.stringify(SCHEMA));
  return made;
}

describe("--output-schema", () => {
  it("prints the JSON alone, and tells the model the schema", async () => {
    const { run, server } = await place(`\`\`\`json\n{ "risks": [ "fire" ] }\n\`\`\``);
    const { code, stdout } = await run(["-p", ...ARGS]);
    expect([code, stdout]).toEqual([0, `${GOOD}\n`]);
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('\\"required\\":[\\"risks\\"]');
  });

  it.each(
    rows(
      [
        ["no JSON", "I see no risk.", "it is not JSON"],
        ["JSON that does not fit", '{"risks":[4]}', "risks"],
        ["words around it", `Here: ${GOOD}`, "it is not JSON"],
      ],
      theFirst,
    ),
  )("says what is wrong with %s, and takes the next answer", async (_, first, said) => {
    const { run, server } = await place(first, GOOD);
    const { code, stdout } = await run(["-p", ...ARGS]);
    expect([code, stdout]).toEqual([0, `${GOOD}\n`]);
    const [, correction] = server.requests;
    expect(correction?.rawBody).toContain("Your last message is not valid");
    expect(correction?.rawBody).toContain(said);
  });

  it("fails after three answers that do not fit, and prints none of them", async () => {
    const { run, server } = await place("a", "b", "c", GOOD);
    const { code, stdout, stderr } = await run(["-p", ...ARGS]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("does not match its schema after 3 attempts: it is not JSON");
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    ["cut at the longest answer", "max_tokens", "cut off at the maximum answer length"],
    ["a refusal", "refusal", "the model refused to answer"],
  ])("an answer that is %s does not pass for one that fits", async (_, stop, said) => {
    const made = await createServedShared(Array.from({ length: 3 }, () => ({ text: '{"risks":["fi', stop })));
    made.file("schema.json", JSON.stringify(SCHEMA));
    const { code, stdout, stderr } = await made.run(["-p", ...ARGS]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(said);
    expect(made.server.requests).toHaveLength(3);
  });

  it("an answer that fits counts, wherever it was cut", async () => {
    const made = await createServedShared([{ text: GOOD, stop: "max_tokens" }]);
    made.file("schema.json", JSON.stringify(SCHEMA));
    expect(await made.run(["-p", ...ARGS])).toMatchObject({ code: 0, stdout: `${GOOD}\n` });
  });

  it("says that it held nothing where a command asks the model nothing", async () => {
    const { run, file, server } = await place(GOOD);
    file(
      ".indus/addons/hi.ts",
      `export function register(surface) {
  surface.addCommand("hi", { summary: "says hi", run: ({ say }) => say("hi") });
}
`,
    );
    const args = ["--model", "anthropic/x", "--output-schema", "schema.json", "--grant", "hi", "/hi"];
    const { code, stdout, stderr } = await run(["-p", ...args]);
    expect([code, stdout]).toEqual([0, "hi\n"]);
    expect(stderr).toContain("--output-schema had no effect: the command asked the model nothing");
    expect(server.requests).toHaveLength(0);
  });

  it("is a line of its own in --json, the last", async () => {
    const { run } = await place("no", GOOD);
    const { code, stdout } = await run(["--json", ...ARGS]);
    const lines = stdout.trim().split("\n");
    expect(code).toBe(0);
    expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ type: "output", value: { risks: ["fire"] } });
  });

  it.each(
    rows(
      [
        ["is not there", undefined, "cannot be read"],
        ["is no JSON", "{", "cannot be read"],
        ["is a list", "[]", "expected a JSON Schema (an object)"],
        ["is no schema", '{"type":"thing"}', "is not a valid JSON Schema"],
      ],
      theFirst,
    ),
  )("a file that %s is refused before anything is asked", async (_, text, message) => {
    const { run, file, server } = await place(GOOD);
    if (text !== undefined) file("other.json", text);
    const { code, stderr } = await run([
      "-p",
      "--model",
      "anthropic/x",
      "--output-schema",
      "other.json",
      "go",
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(server.requests).toHaveLength(0);
  });

  it("is refused in a conversation", async () => {
    const { run } = await place(GOOD);
    expect(await run(ARGS, { stdin: "hi\n" })).toMatchObject({ code: 2 });
  });
});
