import { expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { dialledHost, parseWebUrl } from "./web-url.ts";

const LONG = `http://a.example/${"x".repeat(9_000)}`;

test("an absolute http(s) URL passes, without its fragment", () => {
  expect(String(parseWebUrl("https://Example.com/a b?q=1#part"))).toBe("https://example.com/a%20b?q=1");
  expect(String(parseWebUrl("http://example.com:8080"))).toBe("http://example.com:8080/");
  expect(String(parseWebUrl("/x", new URL("https://example.com/a/b")))).toBe("https://example.com/x");
});

test.each([
  [
    "example.com/page",
    '"example.com/page" is not a URL. Use an absolute one, such as https://example.com/page.',
  ],
  ["", '"" is not a URL. Use an absolute one, such as https://example.com/page.'],
  ["file:///etc/passwd", '"file:///etc/passwd" cannot be fetched: only http and https are supported.'],
  ["ftp://example.com/x", '"ftp://example.com/x" cannot be fetched: only http and https are supported.'],
  ["data:text/html,x", '"data:text/html,x" cannot be fetched: only http and https are supported.'],
  [
    "https://user:word@example.com/",
    "The URL of example.com contains a user name or a password. Remove it: webfetch sends no credentials.",
  ],
  [
    "http://good.example@evil.example/",
    "The URL of evil.example contains a user name or a password. Remove it: webfetch sends no credentials.",
  ],
  [
    "http://example.com:25/",
    "Port 25 of example.com is not allowed: only 80, 443 and ports from 1024 up are.",
  ],
  ["http://example.com:0/", "Port 0 of example.com is not allowed: only 80, 443 and ports from 1024 up are."],
  ["http://../", 'The host name ".." of "http://../" has an empty label.'],
  ["http://a.example/\tx", 'The URL "http://a.example/\\tx" contains control characters. Remove them.'],
  [
    "ftp://user:word@a.example/x",
    '"ftp://…@a.example/x" cannot be fetched: only http and https are supported.',
  ],
  [
    "http://user:word@a b/",
    '"http://…@a b/" is not a URL. Use an absolute one, such as https://example.com/page.',
  ],
  ["//user:word@a.example/\tx", 'The URL "//…@a.example/\\tx" contains control characters. Remove them.'],
  [LONG, expect.stringMatching(/is longer than 8192 characters\.$/)],
])("%.40s is refused", (text, message) => {
  expect(parseWebUrl(text)).toEqual(message);
});

test("the host that is decided on is the host that is dialled, however it is spelt", () => {
  const hosts = [
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://127.0.0.1./",
    "http://127%2e0.0.1/",
    "http://１２７.0.0.1/",
    "http:\\\\127.0.0.1\\",
  ].map((text) => hostOf(text));
  expect(hosts).toEqual(Array(9).fill("127.0.0.1"));
  expect(hostOf("http://[::FFFF:127.0.0.1]/")).toBe("::ffff:7f00:1");
  expect(hostOf("http://Example.COM./")).toBe("example.com");
});

test("NUL and control characters in a host never reach a comparison of names", () => {
  const texts = [
    "http://evil.example\0.good.example/",
    "http://evil.example%00.good.example/",
    "http://a\r\nb/",
  ];
  for (const text of texts) expect(parseWebUrl(text), text).toBeTypeOf("string");
  // The twin: a check on the end of the name accepts the first of them.
  expect("evil.example\0.good.example".endsWith(".good.example")).toBe(true);
});

test("any text is a URL with a clean host, or refused; it never throws and never hangs", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "http://",
      "https://",
      "@",
      ":",
      "/",
      "\\",
      "[",
      "]",
      "%00",
      "127.0.0.1",
      "::1",
      ".",
      "\0",
      "localhost",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const url = parseWebUrl(pieces.join(""));
      if (typeof url === "string") return;
      expect(url.protocol).toMatch(/^https?:$/);
      expect(dialledHost(url)).toMatch(/^[^\x00-\x20\x7f/?#@\\]+$/);
    }),
    { numRuns: 3_000, interruptAfterTimeLimit: 20_000 },
  );
});

function hostOf(text: string): string {
  const url = parseWebUrl(text);
  return typeof url === "string" ? url : dialledHost(url);
}
