// A browser login against a server written from OpenRouter's documentation, and what else may arrive in place of its answer.

import { request } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { LOGIN_KEY, startLoginServer } from "../../../../../tests/support/strict/login-server.ts";
import { listenForBrowser } from "./browser-login.ts";

/** The response a browser gets, with a possibly forged `host`. */
function visit(address: string, { host, method = "GET" }: { host?: string; method?: string } = {}) {
  const url = new URL(address);
  return new Promise<number>((resolve, reject) => {
    const headers = { host: host ?? url.host };
    const sent = request({
      host: "127.0.0.1",
      port: url.port,
      path: url.pathname + url.search,
      method,
      headers,
    });
    sent.on("response", (response) => resolve(response.resume().statusCode ?? 0));
    sent.on("error", reject).end();
  });
}

async function begun(answer?: { status?: number; body?: string }) {
  const server = await startLoginServer(answer);
  const refused: string[] = [];
  const login = await listenForBrowser({ baseUrl: server.baseUrl, onRefused: (what) => refused.push(what) });
  onTestFinished(login.close);
  return { server, login, refused, back: server.agree(login.url) };
}

it("a code that comes back becomes a key, once", async () => {
  const { login, back, server } = await begun();
  expect(await Promise.all([visit(back), visit(back)])).toEqual([200, 200]);
  expect(await login.answer).toEqual({ ok: true, key: LOGIN_KEY });
  expect(server.asked).toHaveLength(1);
});

it("what is no answer to this login is refused, and the login goes on", async () => {
  const { login, back, refused } = await begun();
  const other = await begun();
  const stranger = back.replace(/callback\/[\w-]+/, "callback/another");
  expect(await visit(stranger)).toBe(404);
  expect(await visit(other.back.replace(/:\d+/, `:${new URL(back).port}`))).toBe(404);
  expect(await visit(back, { host: "rebound.example" })).toBe(404);
  expect(await visit(back, { method: "POST" })).toBe(404);
  expect(await visit(new URL("/favicon.ico", back).href)).toBe(404);
  expect(await visit(`${stranger}&x=${"x".repeat(100_000)}`)).toBe(431);
  expect(refused).toEqual([
    "an answer to another login",
    "an answer to another login",
    "a request for another host",
    "an answer to another login",
  ]);
  expect([login.take(stranger), login.take("no address"), login.take(back)]).toEqual([false, false, true]);
  expect(await login.answer).toEqual({ ok: true, key: LOGIN_KEY });
});

it.each([
  ["an error page", { status: 500, body: "<html>broken</html>" }, /answered 500$/],
  ["a page in a key's place", { body: "<html>welcome</html>" }, /answered without a key$/],
  ["no key", { body: "{}" }, /answered without a key$/],
  ["a key that is none", { body: JSON.stringify({ key: "two words\u001b[2J" }) }, /answered without a key$/],
  ["a key of another type", { body: '{"key":{"key":"sk-0123456789"}}' }, /answered without a key$/],
  ["something endless", { body: `{"key":"${"k".repeat(300_000)}"}` }, /answered without a key$/],
  ["a redirect", { status: 302, body: "" }, /answered 302$/],
])("%s in the answer's place ends the login by its name", async (_, answer, why) => {
  const { login, back } = await begun(answer);
  expect(await visit(back)).toBe(200);
  expect(await login.answer).toEqual({ ok: false, why: expect.stringMatching(why) });
});

it.each([
  ["error=access_denied%1b[2J", /refused it \(access_denied \[2J\)$/],
  ["", /sent the browser back without a code$/],
  ["code=two%20words", /sent the browser back without a code$/],
  ["code=guessed", /answered 403 \(.*Invalid code or code_verifier\)$/],
])("a browser that comes back with '%s' ends it too", async (query, why) => {
  const { login, back } = await begun();
  await visit(back.replace(/code=.*/, query));
  expect(await login.answer).toEqual({ ok: false, why: expect.stringMatching(why) });
});
