import { expect, it } from "vitest";
import { isAbout, parseRule } from "../../../deck/permissions/rules.ts";
import { commandName, toolName } from "./mcp-names.ts";

it("a tool is called as its server and the server call it, where that fits", () => {
  expect(toolName("tickets", "find_all")).toBe("mcp__tickets__find_all");
  expect(toolName("tickets", "_a__b")).toBe("mcp__tickets___a__b");
  expect(commandName("Tickets", "Say")).toMatch(/^mcp__tickets__say/);
});

it.each(["tickets.", "tickets.x", "tickets._x", "tickets_.x", "tickets..x"])(
  "no rule about all tools of another server is about a tool of %s",
  (id) => {
    for (const own of ["tickets", "tickets_x", "tickets-"])
      for (const source of [`mcp__${own}`, `mcp__${own}__*`]) {
        const rule = parseRule(source);
        if ("problem" in rule) throw new Error(rule.problem);
        expect(isAbout(rule, toolName(own, "run"))).toBe(true);
        for (const name of ["run", "_run", "x__run"]) expect(isAbout(rule, toolName(id, name))).toBe(false);
      }
  },
);
