import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createServedWorkplace } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";

it("is not answered by what was typed while indus started: that is for the console", async () => {
  const { server, ...place } = await createServedWorkplace([{ text: "hello" }]);
  place.file(
    ".indus/addons/a/manifest.toml",
    'id = "a"\n[[command]]\nname = "run"\nsummary = "s"\nexec = "id"',
  );
  const terminal = openTerminal({
    console: "plain",
    place,
    url: server.url,
    args: ["--model", "anthropic/x"],
  });
  terminal.type("y\r");
  await terminal.waitFor(/y\/n ›\s*$/);
  terminal.type("\x03");
  expect(await terminal.left).toBe(0);
  expect(existsSync(join(place.home, "trust.json"))).toBe(false);
});

it("about an addon that changed says since when, and what it asks for beyond that", async () => {
  const { server, ...place } = await createServedWorkplace([{ text: "hello" }]);
  const command = '[[command]]\nname = "run"\nsummary = "s"\nprompt = "p"\n';
  const asks = (kind: string): string => `[[capability]]\nkind = "${kind}"\nreason = "r"\nrequired = false\n`;
  const start = () =>
    openTerminal({ console: "plain", place, url: server.url, args: ["--model", "anthropic/x"] });
  place.file(".indus/addons/a/manifest.toml", `id = "a"\n${command}${asks("alert")}`);
  const first = start();
  await first.waitFor(/It is new here, or has changed\.[\s\S]*y\/n ›\s*$/);
  await first.answer("y\r");
  await first.waitFor(/\n›\s*$/);
  first.type("/quit\r");
  expect(await first.left).toBe(0);
  place.file(".indus/addons/a/manifest.toml", `id = "a"\n${command}${asks("model_notification")}`);
  const second = start();
  await second.waitFor(/It has changed since you trusted it on \d{4}-\d\d-\d\d\.[\s\S]*y\/n ›\s*$/);
  expect(second.screen()).toMatch(/new +│ notices to the model|new +│ .*model/);
  expect(second.screen()).toMatch(/gone +│ alert/);
  second.type("\x03");
  expect(await second.left).toBe(0);
});
