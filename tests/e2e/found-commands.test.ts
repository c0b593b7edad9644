// Commands where a person looks for them: what the shell has, a list of all of them, and what one writes.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSharedWorkplace, createWorkplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { openRichConsole, RICH_IDLE } from "../support/open-console.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/scripted"] as const;

describe("an unknown command", () => {
  it.each(
    rows(
      [
        ["/docter", "Did you mean /doctor?"],
        ["/models", "Did you mean /model?"],
        ["/comletion", "Did you mean indus completion, in a shell?"],
        ["/crew", "In a shell there is: indus crew."],
      ],
      ([typed]) => /^\/[dm]/.test(typed),
    ),
  )("%s: %s", async (typed, hint) => {
    const { run } = await createServedShared([]);
    expect((await run([...MODEL], { stdin: `${typed}\n` })).stdout).toContain(hint);
  });
});

describe("/settings NAME VALUE", () => {
  const OWN = '{\n  "localServers": [],\n  // mine\n  "theme": "dark"\n}\n';

  async function typed(...lines: readonly string[]) {
    const place = createSharedWorkplace("");
    const path = join(place.home, "settings.json");
    writeFileSync(path, OWN);
    const { stdout } = await place.run([...MODEL], { stdin: `${lines.join("\n")}\n` });
    return { stdout, path, text: readFileSync(path, "utf8") };
  }

  it("writes a value, says where, and keeps comments", async () => {
    const { stdout, path, text } = await typed(
      "/settings theme light",
      "/settings permissions.mode plan",
      "/settings maxTurns 7",
    );
    expect(stdout).toContain(`theme is now "light", in ${path}.`);
    expect(text).toContain("// mine");
    expect(JSON.parse(text.replace("// mine", ""))).toEqual({
      localServers: [],
      theme: "light",
      permissions: { mode: "plan" },
      maxTurns: 7,
    });
  });

  it("unset removes one", LONG_ONLY, async () => {
    const { stdout, text } = await typed("/settings theme unset");
    expect(stdout).toContain("theme is now unset, so its default applies");
    expect(text).not.toContain("theme");
  });

  it.each(
    rows(
      [
        ["/settings thme light", 'Did you mean "theme"?'],
        ["/settings permissions.mode sometimes", 'Nothing was written: "permissions.mode" must be one of'],
        [
          "/settings reducedMotion yes",
          'Nothing was written: "reducedMotion" must be true or false, found yes.',
        ],
      ],
      theFirst,
    ),
  )("%s writes nothing, and says why: %s", async (line, why) => {
    const { stdout, text } = await typed(line);
    expect(stdout).toContain(why);
    expect(text).toBe(OWN);
  });
});

it("/mcp says that there is no server, and how to add one", LONG_ONLY, async () => {
  const { run } = await createServedShared([]);
  expect((await run([...MODEL], { stdin: "/mcp\n" })).stdout).toContain("indus add FILE for a .mcp.json");
});

it("/init asks the model for an AGENTS.md, in words that are shown", async () => {
  const { run, server, cwd } = await createServedShared([
    { calls: [{ name: "write", input: { path: "AGENTS.md", content: "# Shop\n" } }] },
    { text: "Written." },
  ]);
  await run([...MODEL, "--permission-mode", "bypass"], { stdin: "/init the tests\n" });
  expect(JSON.stringify(server.requests[0]?.body.messages)).toMatch(
    /Write AGENTS\.md in this folder.*In particular: the tests/,
  );
  expect(existsSync(join(cwd, "AGENTS.md"))).toBe(true);
});

describe("in the rich console", () => {
  it("Ctrl+P lists all commands, finds one by what it does, and runs it", async () => {
    const { type, answer, waitFor } = await openRichConsole([]);
    type("\x10");
    await waitFor(/Which command\?[\s\S]*❯ \/help/);
    await answer("clipboard");
    await waitFor(/find: clipboard[\s\S]*❯ \/copy/);
    type("\r");
    await waitFor("No answer to copy yet.");
  });

  it("Ctrl+P writes the beginning of a command that needs more", LONG_ONLY, async () => {
    const { type, answer, waitFor } = await openRichConsole([]);
    type("\x10");
    await waitFor("Which command?");
    await answer("rename");
    await waitFor(/❯ \/rename/);
    type("\r");
    await waitFor(/› \/rename/);
  });

  it("/theme keeps what was chosen: the next console has it", LONG_ONLY, async () => {
    const place = createWorkplace("");
    const { type, waitFor, left } = await openRichConsole([], { place });
    type("/theme light\r");
    await waitFor(/The theme is now light\.\s+It is kept in/);
    await waitFor(RICH_IDLE);
    type("\x04");
    await left;
    const again = await openRichConsole([], { place });
    again.type("/settings theme\r");
    await again.waitFor('theme  "light" (settings.json)');
  });
});
