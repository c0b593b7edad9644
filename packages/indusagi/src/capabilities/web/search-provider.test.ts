import { expect, test } from "vitest";
import type { Environment } from "./contract.ts";
import { chooseSearchProvider } from "./search-provider.ts";

const CANARY = "canary-key-9d2f";

test.each<[Environment, string, string]>([
  [{}, "duckduckgo", "html.duckduckgo.com"],
  [{ BRAVE_API_KEY: "" }, "duckduckgo", "html.duckduckgo.com"],
  [{ BRAVE_API_KEY: CANARY, TAVILY_API_KEY: CANARY }, "brave", "api.search.brave.com"],
  [{ TAVILY_API_KEY: CANARY, EXA_API_KEY: CANARY }, "tavily", "api.tavily.com"],
  [{ EXA_API_KEY: ` ${CANARY}\n`, SEARXNG_URL: "http://localhost:8080" }, "exa", "api.exa.ai"],
  [{ SEARXNG_URL: "http://localhost:8080/" }, "searxng", "localhost"],
  [{ INDUS_SEARCH: "duckduckgo", BRAVE_API_KEY: CANARY }, "duckduckgo", "html.duckduckgo.com"],
  [
    { INDUS_SEARCH: " SearXNG ", BRAVE_API_KEY: CANARY, SEARXNG_URL: "https://s.example" },
    "searxng",
    "s.example",
  ],
])("%j chooses %s", (env, id, host) => {
  expect(chooseSearchProvider(env)).toMatchObject({ id, host });
});

test.each<[Environment, string]>([
  [
    { INDUS_SEARCH: "google" },
    'INDUS_SEARCH is "google". Set it to one of duckduckgo, brave, tavily, exa, searxng, or unset it.',
  ],
  [
    { INDUS_SEARCH: "brave" },
    "INDUS_SEARCH is brave, but BRAVE_API_KEY is not set. Set it, or choose another.",
  ],
  [
    { SEARXNG_URL: "localhost:8080" },
    "SEARXNG_URL is not an http(s) URL. Set it to one, such as http://localhost:8080.",
  ],
  [
    { EXA_API_KEY: `${CANARY}\r\nx: y` },
    "EXA_API_KEY contains characters that a key cannot have (whitespace, control or non-ASCII characters). Set it again.",
  ],
])("%j is refused, without showing a key", (env, message) => {
  expect(chooseSearchProvider(env)).toBe(message);
});
