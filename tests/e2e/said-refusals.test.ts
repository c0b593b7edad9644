// What an addon says when it stops a call reaches whoever started `indus -p`, not only the model.

import { expect, it } from "vitest";
import { createServedShared } from "../support/served-workplace.ts";

const REASON = "move it aside instead of deleting it";

it.each([
  ["bash", { command: "rm -rf dist" }],
  ["write", { path: "a.txt", content: "x" }],
  ["edit", { path: "a.txt", oldText: "x", newText: "y" }],
])("-p says why a gate refused %s, below its line", async (name, input) => {
  const place = await createServedShared([{ calls: [{ name, input }] }, { text: "Done." }]);
  const gate = `[[gate]]\nevent = "tool:before"\nmatch-tool = "${name}"\nreason = "${REASON}"\n`;
  place.file(".indus/addons/careful/manifest.toml", `id = "careful"\n${gate}`);
  const flags = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "careful"];
  const { stdout, stderr } = await place.run(["-p", "go", ...flags]);
  expect(stdout).toBe("Done.\n");
  expect(stderr).toMatch(new RegExp(`⊘ ${name}[^\\n]*refused[^\\n]*\\n  [^\\n]*${REASON}`));
});
