// The grant `browser`: an MCP server starts the system's browser inside its own sandbox, and reaches with it the hosts that it was
// granted and no others.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { lacksBrowser } from "../support/browser.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { lacksLevel } from "../support/needs.ts";
import { registryEnvironment, unreachableRegistry } from "../support/npm-registry.ts";
import { createServedShared, type ServedWorkplace } from "../support/served-workplace.ts";
import { sandboxAt } from "../support/test-levels.ts";

const hasBubblewrap = sandboxAt("bubblewrap").strong() !== undefined;
/** With a registry that is far away. */
const INSTALL_MS = 200_000;
const FLAGS = ["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"];

/** A page on this machine, whose heading a script writes. */
async function servePage(): Promise<{ readonly port: number; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server: Server = createServer(({ url = "" }, answer) => {
    asked.push(url);
    answer.setHeader("content-type", "text/html");
    answer.end(
      `<title>Ours</title><h1></h1><script>document.querySelector("h1").append("read by " + 6 * 7)</script>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

/** An MCP server that drives a browser as libraries do: it looks where Chrome is installed, and gives it a profile of its own. */
const DRIVER = `
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const CHROME = "/opt/google/chrome/chrome";
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const says = (text) => send({ id, result: { content: [{ type: "text", text }] } });
  if (method === "initialize")
    return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "d", version: "1" } } });
  if (method === "tools/list") return send({ id, result: { tools: [{ name: "open", inputSchema: { type: "object" } }] } });
  if (method !== "tools/call") return id === undefined ? undefined : send({ id, error: { code: -32601, message: "unknown" } });
  if (!existsSync(CHROME)) return says("no browser; shared memory: " + existsSync("/dev/shm"));
  const args = ["--user-data-dir=" + process.env.HOME + "/profile", "--dump-dom", params.arguments.url];
  execFile(CHROME, args, (error, out, err) => says(out + (error ? error.message + err : "")));
});
`;

const asks = (kind: string, more = ""): string => `[[capability]]\nkind = "${kind}"\n${more}\nreason = "x"\n`;
const BROWSER = asks("browser");
const FILES = asks("files", "read = true");
const host = (name: string): string => asks("network", `purpose = "x"\nhosts = ["${name}"]`);

/** What the driver's browser shows at an address, `FOLDER` in it being the workspace, which has a letter. */
async function opened(url: string, ...grants: readonly string[]): Promise<string> {
  const place: ServedWorkplace = await callsOf({
    name: "mcp__driver__open",
    input: () => ({ url: url.replace("FOLDER", place.cwd) }),
  });
  place.file("letter.txt", "the person's own words");
  place.file(
    ".indus/addons/driver/manifest.toml",
    `id = "driver"\n[run]\nmcp = ["node", "server.mjs"]\n${grants.join("")}`,
  );
  place.file(".indus/addons/driver/server.mjs", DRIVER);
  await place.run([...FLAGS, "--grant", "driver"]);
  return outcomeOf(place);
}

/** A session with these calls, one after the other. */
function callsOf(
  ...calls: readonly { readonly name: string; readonly input: () => object }[]
): Promise<ServedWorkplace> {
  return createServedShared((_, at) => {
    const call = calls[at];
    if (call === undefined) return { text: "Done." };
    return { text: "On it.", calls: [{ name: call.name, input: call.input() }] };
  });
}

function outcomeOf(place: ServedWorkplace): string {
  const calls = place.entries().filter((entry) => entry.type === "tool");
  return calls.map(({ text }) => text).join("\n");
}

describe.skipIf(lacksBrowser() || lacksLevel("bubblewrap", hasBubblewrap))("with the grant browser", () => {
  it("a server's browser runs in its sandbox, with the hosts that were granted", async () => {
    const page = await servePage();
    const url = `http://localhost:${page.port}/`;
    expect(await opened(url, BROWSER, host(`localhost:${page.port}`))).toContain("<h1>read by 42</h1>");
    const asked = page.asked.length;
    expect(await opened(url, BROWSER, host("localhost:9"))).not.toContain("read by 42");
    expect(await opened(url, BROWSER)).not.toContain("read by 42");
    expect(page.asked).toHaveLength(asked);
  });

  it("the browser reads the workspace only if that was granted too", async () => {
    expect(await opened("file://FOLDER/letter.txt", BROWSER)).not.toContain("own words");
    expect(await opened("file://FOLDER/letter.txt", BROWSER, FILES)).toContain("own words");
  });

  it("without it there is none, nor shared memory", async () => {
    expect(await opened("about:blank")).toBe("no browser; shared memory: false");
  });
});

describe.skipIf(lacksBrowser() || lacksLevel("bubblewrap", hasBubblewrap))(
  "@playwright/mcp",
  LONG_ONLY,
  () => {
    it.for([
      ["with the grant", ["--browser"], /read by 42/],
      ["without it", [], /not found|Failed to launch|Error/],
    ] as const)("opens a page %s", { timeout: INSTALL_MS }, async ([, flags, answer], context) => {
      const page = await servePage();
      const place = await callsOf(
        {
          name: "mcp__playwright__browser_navigate",
          input: () => ({ url: `http://localhost:${page.port}/` }),
        },
        {
          name: "mcp__playwright__browser_evaluate",
          input: () => ({ function: "() => document.body.innerText" }),
        },
      );
      const added = await place.runAlone(
        ["add", "mcp:npx @playwright/mcp@0.0.83", "--host", `localhost:${page.port}`, ...flags, "--yes"],
        { env: registryEnvironment(), deadlineMs: INSTALL_MS },
      );
      const problem = unreachableRegistry(added);
      if (problem !== undefined) context.skip(problem);
      expect(added).toMatchObject({ code: 0, stderr: "" });
      const line = "asks  │ browser: you granted it when you added it";
      expect(added.stdout.includes(line)).toBe(flags.length > 0);
      await place.run(FLAGS);
      expect(outcomeOf(place)).toMatch(answer);
      expect(page.asked.length > 0).toBe(flags.length > 0);
    });
  },
);
