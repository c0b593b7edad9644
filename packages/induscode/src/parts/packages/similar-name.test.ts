import { expect, it } from "vitest";
import { resembled } from "./similar-name.ts";

it.each([
  ["@modelcontextprotoco1/server-memory", "@modelcontextprotocol/server-memory"],
  ["@playwrlght/mcp", "@playwright/mcp"],
  ["taviIy-mcp", "tavily-mcp"],
  ["tavily_mcp", "tavily-mcp"],
  ["firecrawll-mcp", "firecrawl-mcp"],
  ["tickest", "tickets"],
  ["tiсkets", "tickets"],
])("%s resembles %s", (name, other) => {
  expect(resembled(name, ["tickets"])).toBe(other);
});

it.each(["@playwright/mcp", "tickets", "notes", "ticket-printer", "mcp", "weather-mcp"])(
  "%s resembles nothing",
  (name) => {
    expect(resembled(name, ["tickets"])).toBeUndefined();
  },
);
