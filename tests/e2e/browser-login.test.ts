// `indus auth login openrouter` at a terminal: the browser comes back to this machine, or its last address is pasted. The server
// is written from OpenRouter's documentation and stands where the provider's row says.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createServedShared, type ServedWorkplace } from "../support/served-workplace.ts";
import { LOGIN_KEY, startLoginServer } from "../support/strict/login-server.ts";
import { openTerminal } from "../support/terminal.ts";

const fileOf = ({ home }: ServedWorkplace): string => join(home, "credentials.json");

async function loggingIn() {
  const place = await createServedShared([{ text: "done" }]);
  const server = await startLoginServer();
  const row = { wire: "chat", baseUrl: server.baseUrl, apiKeyEnv: "OPENROUTER_API_KEY", browserLogin: true };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ providers: { openrouter: row } }));
  const args = ["auth", "login", "openrouter", "--file"];
  const env = { OPENROUTER_API_KEY: "" };
  const terminal = openTerminal({ console: "none", place, url: place.server.url, args, env });
  await terminal.waitFor("not shown:");
  const url = /http:\S+/.exec(terminal.raw())?.[0] ?? "";
  return { place, terminal, back: server.agree(url), server };
}

it("a login in the browser stores a key, whatever else comes to its port, and logout removes it", async () => {
  const { place, terminal, back } = await loggingIn();
  const stranger = back.replace(/callback\/[\w-]+/, "callback/another");
  for (const address of [stranger, stranger, new URL("/favicon.ico", back).href])
    expect((await fetch(address)).status).toBe(404);
  expect(await (await fetch(back)).text()).toContain("shows the result in its terminal");
  expect(await terminal.left).toBe(0);
  expect(terminal.screen()).toContain(`Stored …${LOGIN_KEY.slice(-4)} for openrouter.`);
  expect(terminal.screen().split("an answer to another login came to the login's port")).toHaveLength(2);
  expect(terminal.raw()).not.toContain(LOGIN_KEY);
  expect(JSON.parse(readFileSync(fileOf(place), "utf8")).keys.OPENROUTER_API_KEY.key).toBe(LOGIN_KEY);
  expect((await place.run(["auth", "logout", "openrouter"])).code).toBe(0);
  expect(readFileSync(fileOf(place), "utf8")).not.toContain(LOGIN_KEY);
});

it("the address at which a browser elsewhere ended may be pasted", async () => {
  const { place, terminal, back } = await loggingIn();
  terminal.type(`${back}\r`);
  expect(await terminal.left).toBe(0);
  expect(JSON.parse(readFileSync(fileOf(place), "utf8")).keys.OPENROUTER_API_KEY.key).toBe(LOGIN_KEY);
});

it("what cannot be one stores nothing: an address of another login, and a code that nobody gave", async () => {
  for (const [make, said] of [
    [(back: string) => back.replace(/callback\/[\w-]+/, "callback/another"), "does not belong to this login"],
    [(back: string) => back.replace(/code=.*/, "code=guessed"), "answered 403"],
  ] as const) {
    const { place, terminal, back } = await loggingIn();
    terminal.type(`${make(back)}\r`);
    expect(await terminal.left).not.toBe(0);
    expect(terminal.screen()).toContain(said);
    expect(existsSync(fileOf(place))).toBe(false);
  }
});

it("a key may still be typed there, and from a pipe nothing is listened for", async () => {
  const { place, terminal } = await loggingIn();
  terminal.type("sk-typed-0123456789\r");
  expect(await terminal.left).toBe(0);
  expect(readFileSync(fileOf(place), "utf8")).toContain("sk-typed-0123456789");
  const piped = await place.run(["auth", "login", "openrouter", "--file"], { stdin: `${LOGIN_KEY}\n` });
  expect(piped).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(fileOf(place), "utf8")).toContain(LOGIN_KEY);
});
