import { describe, expect, test } from "vitest";
import type { AgentSpec } from "./contract.ts";
import { AGENT_PROFILES, blueprintJson, defineAgent } from "./define-agent.ts";

describe("an agent is what was written, over its profile, over the baseline", () => {
  test("only what is absent falls through, and tags replace", () => {
    const result = defineAgent({ name: "fixer", profile: "coder", description: "Fixes.", tags: ["a"] });
    expect(result).toEqual({
      ok: true,
      blueprint: {
        name: "fixer",
        description: "Fixes.",
        systemPrompt: AGENT_PROFILES.coder?.systemPrompt,
        toolCollection: "coding",
        tags: ["a"],
      },
    });
  });

  test("without a profile it only reads", () => {
    expect(defineAgent({ name: "a" })).toMatchObject({
      ok: true,
      blueprint: { toolCollection: "read-only" },
    });
  });

  test("its written form has its keys in one order and leaves out what is empty", () => {
    const spec: AgentSpec = {
      tags: [],
      model: "openai/gpt-5",
      toolCollection: "all",
      systemPrompt: "p",
      description: "d",
      name: "n",
    };
    const result = defineAgent(spec);
    if (!result.ok) throw new Error("expected a blueprint");
    expect(blueprintJson(result.blueprint)).toBe(
      '{\n  "name": "n",\n  "description": "d",\n  "systemPrompt": "p",\n  "toolCollection": "all",\n  "model": "openai/gpt-5"\n}\n',
    );
  });
});

describe("every issue is named at once", () => {
  test.each([
    ["Upper", 'name: expected 1 to 64 lower-case letters, digits and hyphens, found "Upper"'],
    ["", 'name: expected 1 to 64 lower-case letters, digits and hyphens, found ""'],
    ["-a", 'name: expected 1 to 64 lower-case letters, digits and hyphens, found "-a"'],
    [
      "a".repeat(65),
      `name: expected 1 to 64 lower-case letters, digits and hyphens, found "${"a".repeat(65)}"`,
    ],
  ])("the name %j", (name, issue) => {
    expect(defineAgent({ name })).toEqual({ ok: false, error: { issues: [issue] } });
  });

  test("of keys that an agent does not have, which would be left to the baseline (the twin: as they are spelled)", () => {
    const misspelled = { name: "a", systemPromt: "x", toolColection: "all", colour: "red" };
    expect(defineAgent(misspelled as AgentSpec)).toEqual({
      ok: false,
      error: {
        issues: [
          "systemPromt: unknown key; did you mean systemPrompt?",
          "toolColection: unknown key; did you mean toolCollection?",
          "colour: unknown key; expected one of name, profile, description, systemPrompt, toolCollection, model, tags",
        ],
      },
    });
    expect(defineAgent({ name: "a", systemPrompt: "x", toolCollection: "all" })).toMatchObject({ ok: true });
  });

  test("as path: message, in the order of the keys", () => {
    const spec = {
      profile: "codr",
      description: " ",
      systemPrompt: 3,
      toolCollection: "everything",
      model: "",
      tags: ["a", ""],
    } as unknown as AgentSpec;
    expect(defineAgent(spec)).toEqual({
      ok: false,
      error: {
        issues: [
          'profile: unknown profile "codr"; did you mean coder?',
          'name: expected 1 to 64 lower-case letters, digits and hyphens, found ""',
          'description: expected text, found " "',
          "systemPrompt: expected text, found 3",
          'toolCollection: expected one of read-only, coding, all, found "everything"',
          'model: expected text, found ""',
          'tags[1]: expected text, found ""',
        ],
      },
    });
  });

  test("a prompt that is too long", () => {
    expect(defineAgent({ name: "a", systemPrompt: "x".repeat(256 * 1024 + 1) })).toEqual({
      ok: false,
      error: { issues: ["systemPrompt: expected at most 262144 bytes, found 262145"] },
    });
  });
});
