import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Whether a new process that runs `code` has loaded Node's fetch implementation. */
function loadsFetch(code: string): boolean {
  const probe = `${code}; console.log(process.moduleLoadList.some((name) => name.includes("undici/undici")));`;
  const args = ["--conditions=indus-source", "--input-type=module", "-e", probe];
  return execFileSync(process.execPath, args, { encoding: "utf8" }).trim() === "true";
}

const provider = (name: string): string => new URL(`./wires/${name}/wire.ts`, import.meta.url).href;

test("neither the gateway nor a provider loads Node's fetch; importing node:http as a module does", () => {
  const code = `
    await import("${new URL("./index.ts", import.meta.url).href}");
    const { createMessagesProvider } = await import("${provider("messages")}");
    const { createChatProvider } = await import("${provider("chat")}");
    const request = { model: "m", system: "", tools: [], messages: [], params: {} };
    const call = { signal: new AbortController().signal, onDelta: () => undefined };
    await createMessagesProvider({ baseUrl: "http://127.0.0.1:1" }).stream(request, call);
    await createChatProvider({ id: "x", baseUrl: "http://127.0.0.1:1" }).stream(request, call)`;
  expect(loadsFetch(code)).toBe(false);
  expect(loadsFetch('await import("node:http")')).toBe(true);
});
