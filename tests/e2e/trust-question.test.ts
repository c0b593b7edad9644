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
