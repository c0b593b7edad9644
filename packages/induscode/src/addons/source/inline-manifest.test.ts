import { describe, expect, test } from "vitest";
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  string,
} from "../../../../../tests/support/fast-check.ts";
import { LoaderError } from "../contract.ts";
import { INLINE_MANIFEST_REACH, readInlineManifest } from "./inline-manifest.ts";

const read = (...lines: readonly string[]): ReturnType<typeof readInlineManifest> =>
  readInlineManifest(lines.join("\n"), "/a/addon.ts");

test("a text without a block has none", async () => {
  expect(
    await read("export const a = 1;", "// just a comment", "//", "// see /// indus-addon"),
  ).toBeUndefined();
});

test("a block says version, description and capabilities, wherever it stands", async () => {
  const manifest = await read(
    "#!/usr/bin/env node",
    "// a header",
    "// /// indus-addon",
    `// version = "1.0"`,
    "//",
    `// description = "it does"`,
    "// [[capability]]",
    `// kind = "network"`,
    `// purpose = "asks"`,
    `// hosts = ["example.org"]`,
    `// reason = "weather"`,
    "// required = false",
    "// ///",
    "code();",
  );
  expect(manifest).toEqual({
    descriptor: {
      version: "1.0",
      description: "it does",
      capabilities: [
        {
          capability: { kind: "network", purpose: "asks", hosts: ["example.org"] },
          required: false,
          reason: "weather",
        },
      ],
    },
    warnings: [],
  });
});

test("a Python file's block stands behind #; one behind // is refused there, and one behind # elsewhere", async () => {
  const text = ["# /// indus-addon", `# version = "2"`, "# ///"].join("\r\n");
  expect(await readInlineManifest(text, "/a/addon.py")).toMatchObject({
    descriptor: { version: "2", capabilities: [] },
  });
  await expect(readInlineManifest(text.replaceAll("#", "//"), "/a/addon.py")).rejects.toThrow(
    'expected the line "# /// indus-addon", found "// /// indus-addon"',
  );
  await expect(readInlineManifest(text, "/a/addon.ts")).rejects.toThrow(LoaderError);
});

test.each([
  "/// indus-addon",
  " // /// indus-addon",
  "///indus-addon",
  "//  ///  indus-addon",
  " * /// indus-addon",
])(
  "a block that begins with %j is refused where it stands, instead of going without its grants",
  async (line) => {
    await expect(read("code();", line, "// ///")).rejects.toThrow(
      `expected the line "// /// indus-addon", found ${JSON.stringify(line)}`,
    );
  },
);

test("a key that nobody knows is a warning", async () => {
  const manifest = await read("// /// indus-addon", `// id = "x"`, "// ///");
  expect(manifest?.warnings).toEqual([
    `/a/addon.ts: unknown key "id"; it is ignored (known: version, description, on-failure, capability)`,
  ]);
});

describe("is refused, at its line:", () => {
  test.each([
    [
      "a block that is not closed",
      ["x", "// /// indus-addon", `// version = "1"`, "code();", "// ///"],
      "invalid",
      2,
      /is not closed: end it with a line "\/\/ \/\/\/"/,
    ],
    ["one that the text ends in", ["// /// indus-addon", `// version = "1"`], "invalid", 1, /is not closed/],
    [
      "one whose end is out of reach",
      ["// /// indus-addon", `// ${"x".repeat(INLINE_MANIFEST_REACH)}`, "// ///"],
      "invalid",
      1,
      /is not closed/,
    ],
    [
      "a second block",
      ["// /// indus-addon", "// ///", "", "// /// indus-addon", "// ///"],
      "invalid",
      4,
      /found a second block/,
    ],
    [
      "what is no TOML",
      ["a", "b", "// /// indus-addon", `// version = "1"`, "// oops", "// ///"],
      "toml",
      5,
      /./,
    ],
    [
      "a wrong value",
      ["// /// indus-addon", "// version = 1", "// ///"],
      "invalid",
      undefined,
      /"version" must be a string, got the number 1/,
    ],
    [
      "a capability that is none",
      ["// /// indus-addon", "// [[capability]]", `// kind = "root"`, `// reason = "r"`, "// ///"],
      "invalid",
      undefined,
      /"kind" must be one of/,
    ],
    [
      "a text that hides something",
      ["// /// indus-addon", `// description = "a\u202eb"`, "// ///"],
      "invalid",
      undefined,
      /control characters/,
    ],
  ])("%s", async (_, lines, kind, line, message) => {
    const error = await read(...lines).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "LoaderError", kind, line, message: expect.stringMatching(message) });
  });

  test("a place in a block is the place in the file", async () => {
    const error = await read("", "// /// indus-addon", `// version = "a`, "// ///").catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ kind: "toml", line: 3, column: expect.any(Number) });
  });
});

test("a block beyond the first 64 KiB is not looked for", async () => {
  expect(await read("x".repeat(INLINE_MANIFEST_REACH), "// /// indus-addon")).toBeUndefined();
});

test("any lines at all are no block, a block, or a LoaderError", async () => {
  const line = constantFrom(
    "// /// indus-addon",
    "// ///",
    "//",
    "// [[capability]]",
    `// kind = "alert"`,
    `// reason = "r"`,
    `// version = "1"`,
    "code();",
  );
  await assert(
    asyncProperty(array(line), string(), async (lines, noise) => {
      const text = [...lines, `// ${noise}`, ...lines].join("\n");
      const outcome = await readInlineManifest(text, "/a/addon.ts").catch((error: unknown) => error);
      const isBlock = typeof outcome === "object" && outcome !== null && "descriptor" in outcome;
      expect(outcome === undefined || isBlock || outcome instanceof LoaderError).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
