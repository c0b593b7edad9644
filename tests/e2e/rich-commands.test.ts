// What the shell's subcommands say, said in the console too: the real command in a pseudo-terminal.

import { expect, it } from "vitest";
import { openRichConsole } from "../support/open-console.ts";

const ADDON = "export default { setup() {} };\n";
const SKILL = "---\nname: release\ndescription: How we release.\n---\nTag it.\n";
const AGENT = 'name = "checker"\nprompt = "Look twice."\n';

it("/trust says what is not trusted here and asks about one; /agents, /skills and /doctor answer", async () => {
  const { type, waitFor, place, screen } = await openRichConsole([], { columns: 200 });
  type("/trust\r");
  await waitFor("Every addon here is trusted.");
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
  await waitFor('No addon called "nobody" was found here.');
  expect(screen()).not.toContain("Unknown command");
});
