import { expect, it } from "vitest";
import { httpFailure } from "./mcp-http-words.ts";

const fetchFailed = (cause: unknown): unknown => new TypeError("fetch failed", { cause });

it.each([
  [
    "two addresses of one name",
    new AggregateError([
      new Error("connect ECONNREFUSED ::1:9"),
      new Error("connect ECONNREFUSED 127.0.0.1:9"),
    ]),
    "nobody answered at https://a.example/mcp (connect ECONNREFUSED ::1:9): is the server running there?",
  ],
  [
    "a host that is not granted, over https",
    new Error("Proxy response (403) !== 200 when HTTP Tunneling"),
    "https://a.example/mcp was not asked: indus refused the connection",
  ],
  [
    "a host that is not there, over https",
    new Error("Proxy response (502) !== 200 when HTTP Tunneling"),
    "nobody answered at https://a.example/mcp (no connection): is the server running there?",
  ],
])("%s", (_, cause, words) => {
  expect(httpFailure("https://a.example/mcp", { error: fetchFailed(cause) })).toBe(words);
});
