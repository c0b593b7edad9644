// What the shell's subcommands say, said in the console too: the real command in a pseudo-terminal.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openRichConsole } from "../support/open-console.ts";

const ADDON = "export default { setup() {} };\n";
const SKILL = "---\nname: release\ndescription: How we release.\n---\nTag it.\n";
const AGENT = 'name = "checker"\nprompt = "Look twice."\n';

it("/trust says what is not trusted here and asks about one; /agents, /skills and /doctor answer", async () => {
  const { type, waitFor, place, screen } = await openRichConsole([], { columns: 200 });
  type("/trust\r");
  await waitFor("All addons in this folder are trusted.");
  place.file(".indus/addons/hello.mjs", ADDON);
  type("/trust\r");
  await waitFor(/Not trusted [^\n]*\n {2}hello {2}not answered yet, or changed since {2}\S+hello\.mjs/);
  place.file(".indus/skills/release/SKILL.md", SKILL);
  type("/skills\r");
  await waitFor(/\nrelease {2}How we release\. {2}from \S+/);
  place.file(".indus/agents/checker.toml", AGENT);
  type("/agents\r");
  await waitFor(/\nchecker {2}Look twice\.\n[^\n]*from \S/);
  type("/doctor\r");
  await waitFor(/\naddon sandbox: [\s\S]*\nread from\n/);
  type("/trust nobody\r");
  await waitFor('No addon called "nobody" was found.');
  expect(screen()).not.toContain("Unknown command");
});

it("/permissions, /login and /status answer what their subcommands are looked up for", async () => {
  const { type, waitFor, place, screen } = await openRichConsole([], { columns: 200, rows: 60 });
  type("/permissions\r");
  await waitFor("No saved permissions for this folder: answer a question with [a] or [e] to save one.");
  const answers = [
    { folder: place.cwd, rule: "bash(npm test *)" },
    { folder: "/elsewhere", rule: "bash(make *)" },
  ];
  writeFileSync(join(place.home, "permissions.json"), JSON.stringify({ version: 1, answers }));
  type("/permissions\r");
  await waitFor(
    /\n\w+ {2}bash\(npm test \*\) {2}in \S+\n1 more in other folders[^\n]*\nTo remove one: indus permissions rm ID/,
  );
  type("/login\r");
  await waitFor(/To store a key: indus auth login PROVIDER in a shell\./);
  await waitFor(/\nanthropic +ANTHROPIC_API_KEY +…\S* +in the environment\n/);
  type("/status\r");
  await waitFor(
    /\n +model +anthropic\/scripted\n +mode +\S[^\n]*\n +sandbox +\S[^\n]*\n +context +[^\n]* tokens; [^\n]*\n +paid +\d+ tokens in, \d+ out; [^\n]*\n +session +\d{8}-\S+\n +folder +\S+\n +log +\S+\.jsonl\n/,
  );
  expect(screen()).not.toContain("bash(make *)");
});
