// The MCP server that has one of everything, from npm: by one `indus add` and one answer, each of its tools, resources, templates, prompts
// and questions is used through the command, and what is not used is named.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LONG_ONLY } from "../support/long-form.ts";
import { registryEnvironment, unreachableRegistry } from "../support/npm-registry.ts";
import { openPlainConsole } from "../support/open-console.ts";
import { createServedWorkplace } from "../support/served-workplace.ts";

/** With a registry that is far away. */
const INSTALL_MS = 400_000;
const SOURCE = "mcp:npx -y @modelcontextprotocol/server-everything@2026.8.31";
const FLAGS = ["--model", "anthropic/scripted", "--permission-mode", "bypass"];
const TEXT_URI = "demo://resource/dynamic/text/1";

/** What the model calls, and what it reads. Those of one server without what all of them begin with. */
const CALLS: readonly (readonly [name: string, input: object, answer: RegExp])[] = [
  ["echo", { message: "hello" }, /^Echo: hello$/],
  [
    "get-annotated-message",
    { messageType: "success", includeImage: true },
    /Operation completed successfully/,
  ],
  ["get-env", {}, /"HOME": "[^"]*state\/everything"/],
  ["get-resource-links", { count: 2 }, /demo:\/\/resource\/dynamic\/(?:text|blob)\/1/],
  ["get-resource-reference", { resourceType: "Text", resourceId: 1 }, /demo:\/\/resource\/dynamic\/text\/1/],
  ["get-roots-list", {}, /file:\/\//],
  ["get-structured-content", { location: "New York" }, /"temperature"/],
  ["get-sum", { a: 1, b: 2 }, /\b3\b/],
  ["get-tiny-image", {}, /image/],
  [
    "gzip-file-as-resource",
    { name: "hi.gz", data: "data:text/plain,hi", outputType: "resourceLink" },
    /demo:\/\/resource\/session\/hi\.gz/,
  ],
  ["toggle-simulated-logging", {}, /[Ss]tarted simulated/],
  ["toggle-subscriber-updates", {}, /[Ss]tarted simulated/],
  ["trigger-long-running-operation", { duration: 0.2, steps: 2 }, /Long running operation completed/],
  // A tool that can only be called as a task.
  ["simulate-research-query", { topic: "tea", ambiguous: false }, /Research Report: tea[\s\S]*Stage 4/],
  // Nobody can be asked in print mode.
  ["trigger-elicitation-request", {}, /cancel/i],
  ["trigger-url-elicitation", { url: "https://log.example/in" }, /cancel/i],
  [
    "list_mcp_resources",
    { server: "everything" },
    /demo:\/\/resource\/dynamic\/text\/\{resourceId\}[\s\S]*session\/hi\.gz|session\/hi\.gz[\s\S]*\{resourceId\}/,
  ],
  ["read_mcp_resource", { server: "everything", uri: TEXT_URI }, /Resource 1/],
  [
    "read_mcp_resource",
    { server: "everything", uri: "demo://resource/session/hi.gz" },
    /application\/gzip, \d+ bytes, not shown/,
  ],
];
const SHARED = ["list_mcp_resources", "read_mcp_resource"];
const named = (name: string): string => (SHARED.includes(name) ? name : `mcp__everything__${name}`);

it("all of the server that has everything", { ...LONG_ONLY, timeout: 2 * INSTALL_MS }, async (context) => {
  const script = CALLS.map(([name, input]) => ({ text: "On it.", calls: [{ name: named(name), input }] }));
  const place = await createServedWorkplace([...script, { text: "Done." }]);
  const add = (more: readonly string[]) =>
    place.runAlone(["add", SOURCE, "--name", "everything", "--yes", "--files", "read", "--ask", ...more], {
      env: registryEnvironment(),
      deadlineMs: INSTALL_MS,
    });
  const added = await add([]);
  const problem = unreachableRegistry(added);
  if (problem !== undefined) context.skip(problem);
  expect(added).toMatchObject({ code: 0, stderr: "" });

  const tested = await place.runAlone(["mcp", "test", "everything"]);
  expect(tested.code).toBe(0);
  for (const [name] of CALLS) if (!SHARED.includes(name)) expect(tested.stdout).toContain(named(name));
  expect(tested.stdout).not.toContain("is skipped");
  for (const prompt of ["simple-prompt", "args-prompt", "completable-prompt", "resource-prompt"])
    expect(tested.stdout).toContain(`/mcp__everything__${prompt}`);

  const { code, stderr } = await place.run(["-p", "go", ...FLAGS]);
  expect(code).toBe(0);
  const outcomes = place.entries().flatMap((entry) => (entry.type === "tool" ? [entry] : []));
  expect(outcomes.map(({ text }) => text)).toEqual(
    CALLS.map(([, , answer]) => expect.stringMatching(answer)),
  );
  expect(outcomes.map(({ state }) => state)).toEqual(CALLS.map(() => "ok"));
  const [request] = place.server.requests;
  expect(request?.rawBody).toContain("Everything");
  expect(request?.rawBody).not.toContain("mcp__everything__trigger-sampling-request"); // without the grant, it has none
  expect(stderr).not.toContain("its server has changed its tools");
  expect(readFileSync(join(place.home, "logs/addons/everything.log"), "utf8")).toMatch(
    /^(?:debug|info|notice|warning|error|critical|alert|emergency): /m,
  );

  const asking = ["trigger-elicitation-request", "trigger-url-elicitation"].map((name) => ({
    calls: [{ name: named(name), input: { url: "https://log.example/in" } }],
  }));
  const opened = await openPlainConsole(
    [...asking, { text: "Asked." }, { text: "Read." }, { text: "Seen." }],
    {
      place,
      args: FLAGS,
    },
  );
  opened.type("go\r");
  await opened.waitFor(/Question from the addon user:everything[\s\S]*1-2 ›/);
  await opened.answer("2\r");
  await opened.waitFor(/an address of log\.example: https:\/\/log\.example\/in[\s\S]*1-2 ›/);
  await opened.answer("2\r");
  await opened.waitFor("Asked.");
  opened.type("/mcp__everything__args-prompt Paris\r");
  await opened.waitFor("Read.");
  expect(opened.server.requests.at(-1)?.rawBody).toContain("Paris");
  opened.type(`look at @everything:${TEXT_URI}\r`);
  await opened.waitFor("Seen.");
  expect(opened.server.requests.at(-1)?.rawBody).toContain("Resource 1");
});
