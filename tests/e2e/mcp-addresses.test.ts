// MCP servers at addresses of this machine, through the real command: each port is reached if it was granted, and no other.

import { availableParallelism } from "node:os";
import { deferred } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { LONG_ONLY } from "../support/long-form.ts";
import { startMcpHttpServer } from "../support/mcp-http-server.ts";
import { MCP_SERVER, mcpManifest } from "../support/mcp-server.ts";
import { lacksLevel } from "../support/needs.ts";
import { createServedShared, type ServedWorkplace } from "../support/served-workplace.ts";
import { sandboxAt } from "../support/test-levels.ts";

const hasBubblewrap = sandboxAt("bubblewrap").strong() !== undefined;

const FLAGS = ["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"];

const network = (...hosts: readonly string[]): string =>
  `[[capability]]\nkind = "network"\npurpose = "x"\nhosts = ${JSON.stringify(hosts)}\nreason = "x"\n`;

/** A session with one call. */
function placeOf(name: string, input: object): Promise<ServedWorkplace> {
  return createServedShared((_, at) =>
    at === 0 ? { text: "On it.", calls: [{ name, input }] } : { text: "Done." },
  );
}

function outcomeOf(place: ServedWorkplace): unknown {
  const [call] = place.entries().filter((entry) => entry.type === "tool");
  return call?.text;
}

/** Servers of one process on this machine; each is at a path with its name. `more`: further lines of their `[run]`. */
function servedAt(
  place: ServedWorkplace,
  { port, url }: { readonly port: number; readonly url: string },
  servers: Readonly<Record<string, string>>,
): readonly string[] {
  for (const [id, more] of Object.entries(servers))
    place.file(
      `.indus/addons/${id}/manifest.toml`,
      `id = "${id}"\n[run]\nmcp-url = "${url}/${id}"\n${more}${network(`localhost:${port}`)}`,
    );
  return Object.keys(servers).flatMap((id) => ["--grant", id]);
}

describe.skipIf(lacksLevel("bubblewrap", hasBubblewrap))(
  "a server over HTTP whose first answer is slow",
  () => {
    it("works if it comes within the time of a start, and is told with that time if it does not", async () => {
      const hungIsGone = deferred<void>();
      const server = await startMcpHttpServer(undefined, async (path, gone) => {
        if (path === "/slow") return hungIsGone.promise; // so it takes longer than the other may
        await gone;
        hungIsGone.resolve();
      });
      const place = await placeOf("mcp__slow__where", {});
      const granting = servedAt(place, server, { hung: "start-seconds = 1\n", slow: "" });
      const { code, stderr } = await place.run([...FLAGS, ...granting]);
      expect([code, outcomeOf(place)]).toEqual([0, `reached at 127.0.0.1:${server.port}`]);
      expect(stderr).toMatch(
        /addons\/hung: the server did not answer initialize within 1 s, which start-seconds in \[run\] sets/,
      );
      const { stdout } = await place.run(["addons", "--grant", "slow"]);
      expect(stdout).toContain("mcp__slow__where");
      expect(stdout).not.toContain("quarantine");
    });

    it("holds up no other, however few cores there are (twin: each of these waits for all of them)", async () => {
      const ids = Array.from({ length: availableParallelism() + 1 }, (_, at) => `s${at}`);
      const asked = new Set<string>();
      const allAsked = deferred<void>();
      const server = await startMcpHttpServer(undefined, (path) => {
        asked.add(path);
        if (asked.size === ids.length) allAsked.resolve();
        return allAsked.promise;
      });
      const place = await placeOf("mcp__s0__where", {});
      const granting = servedAt(place, server, Object.fromEntries(ids.map((id) => [id, ""])));
      const { code, stderr } = await place.run([...FLAGS, ...granting]);
      expect([code, stderr.match(/did not answer/g), outcomeOf(place)]).toEqual([
        0,
        null,
        `reached at 127.0.0.1:${server.port}`,
      ]);
    });
  },
);

describe.skipIf(lacksLevel("bubblewrap", hasBubblewrap))("on this machine", () => {
  it("one that an address names is added in one step, with its port, and answers", async () => {
    const server = await startMcpHttpServer();
    const place = await placeOf("mcp__local__where", {});
    const { stdout, code } = await place.run(["add", `${server.url}/mcp`, "--yes", "--ask"]);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toContain(`asks  │ network (the MCP server, port ${server.port} of this machine)`);
    expect(stdout).toContain("asks  │ ui (ask) (optional): you granted it when you added it");
    await place.run(FLAGS);
    expect(outcomeOf(place)).toBe(`reached at 127.0.0.1:${server.port}`);
  });

  it("one that sends on to another origin is not followed there", async () => {
    const other = await startMcpHttpServer();
    const server = await startMcpHttpServer(`${other.url}/mcp`);
    const place = await placeOf("mcp__near__where", {});
    place.file(
      ".indus/addons/near/manifest.toml",
      `id = "near"\n[run]\nmcp-url = "${server.url}/elsewhere"\n${network("localhost:*")}`,
    );
    const { stderr } = await place.run([...FLAGS, "--grant", "near"]);
    expect(stderr).toContain(`Redirect to ${other.url}/mcp not followed`);
    expect(other.asked).toEqual([]);
  });

  it("a program reaches the ports that were granted, and no others by a redirect", LONG_ONLY, async () => {
    const other = await startMcpHttpServer();
    const server = await startMcpHttpServer(`${other.url}/`);
    const run = async (path: string, ...hosts: readonly string[]): Promise<unknown> => {
      const place = await placeOf("mcp__tickets__asks", { url: server.url + path });
      place.file(".indus/addons/tickets/manifest.toml", mcpManifest(network(...hosts)));
      place.file(".indus/addons/tickets/server.mjs", MCP_SERVER);
      await place.run([...FLAGS, "--grant", "tickets"], { env: { TICKET_TOKEN: "sesame-4711-for-tickets" } });
      return outcomeOf(place);
    };
    expect(await run("/", "localhost:*")).toBe("405 ");
    expect(await run("/", `localhost:${server.port}`)).toBe("405 ");
    expect(await run("/", "localhost:9")).toContain(`127.0.0.1:${server.port} is refused`);
    expect(await run("/", "good.invalid")).toContain("ECONNREFUSED");
    // A redirect is followed through the same proxy, and with its port granted it arrives.
    expect(await run("/elsewhere", `localhost:${server.port}`)).toContain(
      `127.0.0.1:${other.port} is refused`,
    );
    expect(other.asked).toEqual([]);
    expect(await run("/elsewhere", `localhost:${server.port}`, `localhost:${other.port}`)).toBe("405 ");
    expect(other.asked).toEqual(["GET /"]);
  });
});

it.each([
  ["http://example.com/mcp", '"mcp-url" must be an https URL, or an http URL of this machine'],
  ["http://127.0.0.1.example.com:7777/mcp", '"mcp-url" must be an https URL'],
  ["http://0.0.0.0:7777/mcp", '"mcp-url" must be an https URL'],
  ["https://me:secret@example.com/mcp", "without user name, password or fragment"],
  ["http://127.0.0.1:7777/mcp", 'add [[capability]] with kind = "network" and hosts = ["127.0.0.1:7777"]'],
  ["https://example.com:8443/mcp", 'hosts = ["example.com:8443"]'],
])("the address %s without a grant is refused, and why is said", async (url, why) => {
  const place = await createServedShared(() => ({ text: "Done." }));
  place.file(
    ".indus/addons/near/manifest.toml",
    `id = "near"\n[run]\nmcp-url = "${url}"\n${network("other.example")}`,
  );
  const { stdout, stderr } = await place.run(["addons", "--grant", "near"]);
  expect((stdout + stderr).replace(/\s+/g, " ")).toContain(why);
});
