import { expect, test } from "vitest";
import { proxyEnvFor, proxyNameFor } from "./proxy.ts";

const PROXY = "http://proxy.example:3128";

test.each([
  ["https://api.example/v1", { HTTPS_PROXY: PROXY }, { https_proxy: PROXY }],
  ["https://api.example/v1", { https_proxy: PROXY, HTTPS_PROXY: "http://other" }, { https_proxy: PROXY }],
  ["https://api.example/v1", { https_proxy: "", HTTPS_PROXY: PROXY }, { https_proxy: PROXY }],
  ["http://api.example/v1", { HTTP_PROXY: PROXY, NO_PROXY: "x" }, { http_proxy: PROXY }],
  ["https://api.example/v1", { ALL_PROXY: PROXY }, { https_proxy: PROXY }],
  ["https://api.example/v1", { HTTPS_PROXY: "proxy.example:3128" }, { https_proxy: PROXY }],
  ["https://api.example/v1", { HTTPS_PROXY: PROXY, NO_PROXY: "*" }, undefined],
  ["https://api.example/v1", { HTTPS_PROXY: PROXY, NO_PROXY: "other, api.example" }, undefined],
  ["https://api.example/v1", { HTTPS_PROXY: PROXY, no_proxy: ".example" }, undefined],
  ["https://api.example/v1", { HTTPS_PROXY: PROXY, no_proxy: "*.EXAMPLE:443" }, undefined],
  ["https://api.example/v1", { HTTPS_PROXY: PROXY, no_proxy: "api.example:80" }, { https_proxy: PROXY }],
  ["https://api.example/v1", { HTTPS_PROXY: PROXY, no_proxy: "pi.example" }, { https_proxy: PROXY }],
  ["https://api.example/v1", { HTTP_PROXY: PROXY }, undefined],
  ["https://api.example/v1", { HTTPS_PROXY: "  " }, undefined],
  ["https://api.example/v1", {}, undefined],
  ["http://127.0.0.1:11434/v1", { HTTP_PROXY: PROXY }, undefined],
  ["http://127.8.9.1/v1", { HTTP_PROXY: PROXY }, undefined],
  ["http://localhost:1234", { HTTP_PROXY: PROXY }, undefined],
  ["http://my.localhost:1234", { HTTP_PROXY: PROXY }, undefined],
  ["http://[::1]:1234", { HTTP_PROXY: PROXY }, undefined],
  ["http://localhost.example", { HTTP_PROXY: PROXY }, { http_proxy: PROXY }],
  ["http://127.0.0.1.example", { HTTP_PROXY: PROXY }, { http_proxy: PROXY }],
])("%s with %j", (url, env, expected) => {
  expect(proxyEnvFor(new URL(url), env as Record<string, string>)).toEqual(expected);
});

test.each(["socks5://h:1", "socks5h://h", "http://", "ftp://h", "http://:80"])("%s is refused", (value) => {
  expect(() => proxyEnvFor(new URL("https://a.example"), { HTTPS_PROXY: value })).toThrow(/^HTTPS_PROXY /);
});

test("a message names the variable, since its value may hold a password", () => {
  expect(proxyNameFor(new URL("https://a.example"), { HTTPS_PROXY: PROXY })).toBe("HTTPS_PROXY");
  expect(proxyNameFor(new URL("https://a.example"), { https_proxy: PROXY })).toBe("https_proxy");
  expect(proxyNameFor(new URL("http://a.example"), { HTTPS_PROXY: PROXY })).toBeUndefined();
});
