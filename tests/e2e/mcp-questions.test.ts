// What an MCP server asks in the middle of a call, through the real command: its roots, the person, a model.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { MCP_SERVER, mcpManifest } from "../support/mcp-server.ts";
import { openPlainConsole } from "../support/open-console.ts";
import { createServedShared } from "../support/served-workplace.ts";

const env = { TICKET_TOKEN: "sesame-for-tickets-4711" };
const FOLDER = ".indus/addons/tickets";
const ARGS = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "tickets"];
const MAY_ASK = '[[capability]]\nkind = "ui"\nask = true\nreason = "asks"\n';
const MAY_READ = '[[capability]]\nkind = "files"\nread = true\nreason = "reads"\n';

const FORM = {
  mode: "form",
  message: "About the ticket.",
  requestedSchema: {
    type: "object",
    properties: {
      title: { type: "string", title: "Title", description: "in a few words" },
      count: { type: "integer" },
      kind: { type: "string", enum: ["bug", "wish"], enumNames: ["a bug", "a wish"] },
      urgent: { type: "boolean" },
      note: { type: "string" },
    },
    required: ["title", "count", "kind", "urgent"],
  },
};
const ADDRESS = { mode: "url", message: "Log in.", elicitationId: "1", url: "https://log.example/in?x=1" };

const asks = (method: string, params: object) => ({
  name: "mcp__tickets__questions",
  input: { method, params },
});

/** What the server was answered, with nobody there, and its log. */
async function answered(method: string, params: object, more: string) {
  const place = await createServedShared((_, at) =>
    at < 2 ? { text: "On it.", calls: [asks(method, params)] } : { text: "Done." },
  );
  place.file(`${FOLDER}/manifest.toml`, mcpManifest(more));
  place.file(`${FOLDER}/server.mjs`, MCP_SERVER);
  await place.run(["-p", "go", ...ARGS], { env });
  const [call] = place.entries().filter((entry) => entry.type === "tool");
  const log = readFileSync(join(place.home, "logs/addons/tickets.log"), "utf8");
  return { place, log, answer: JSON.parse(call?.text ?? "null") as unknown };
}

describe("where nobody is asked", () => {
  it("the roots are the workspace if files were granted, else none", async () => {
    const { answer, place } = await answered("roots/list", {}, MAY_READ);
    expect(answer).toEqual({ roots: [{ uri: `file://${place.cwd}`, name: "work" }] });
    expect((await answered("roots/list", {}, "")).answer).toEqual({ roots: [] });
  });

  it("a model is not lent, which the log says once", LONG_ONLY, async () => {
    const { answer, log } = await answered("sampling/createMessage", { messages: [], maxTokens: 1 }, MAY_ASK);
    expect(answer).toMatchObject({ code: -32601 });
    expect(log.match(/its server asks for sampling\/createMessage, which is refused/g)).toHaveLength(1);
  });

  it("a question is left, and without the grant it is refused", LONG_ONLY, async () => {
    const { answer, log } = await answered("elicitation/create", FORM, MAY_ASK);
    expect(answer).toMatchObject({ action: "cancel" });
    expect(log).toContain('the server wanted to ask you "About the ticket.", but you were not asked:');
    expect((await answered("elicitation/create", FORM, "")).answer).toMatchObject({ code: -32601 });
  });

  it.each(
    rows(["javascript:alert(1)", "file:///etc/passwd", `https://log.example/${"x".repeat(700)}`], theFirst),
  )("an address that cannot be shown whole is declined: %#", async (url) => {
    const { answer, log } = await answered("elicitation/create", { ...ADDRESS, url }, MAY_ASK);
    expect(answer).toMatchObject({ action: "decline" });
    expect(log).toContain("expected an http address");
  });
});

describe("the person is asked", () => {
  const open = (method: string, params: object) => {
    const place = createWorkplace();
    place.file(`${FOLDER}/manifest.toml`, mcpManifest(MAY_ASK));
    place.file(`${FOLDER}/server.mjs`, MCP_SERVER);
    const script = [{ calls: [asks(method, params)] }, { text: "Done." }];
    return openPlainConsole(script, { place, args: ARGS, env });
  };
  const answerIn = (place: Pick<Workplace, "entries">): unknown => {
    const [call] = place.entries().filter((entry) => entry.type === "tool");
    return JSON.parse(call?.text ?? "null");
  };

  it("by a form, field by field, under the addon's name", async () => {
    const { type, answer, waitFor, place } = await open("elicitation/create", FORM);
    type("go\r");
    await waitFor(
      /Question from the addon project:tickets[\s\S]*About the ticket\.[\s\S]*title, count, kind, urgent, note[\s\S]*1-2 ›/,
    );
    await answer("1\r");
    await waitFor(/│ Title: in a few words\n {2}›/);
    await answer("it is lost\r");
    await waitFor(/│ count\n {2}›/);
    await answer("many\r");
    await waitFor(/Expected a whole number, found "many"\.\n[^\n]*count\n {2}›/);
    await answer("3\r");
    await waitFor(/\[2\] a wish\n {2}1-2 ›/);
    await answer("2\r");
    await waitFor(/│ urgent\n[\s\S]*›/);
    await answer("y\r");
    await waitFor(/│ note \(may be left empty\)\n {2}›/);
    await answer("\r");
    await waitFor("Done.");
    expect(answerIn(place)).toEqual({
      action: "accept",
      content: { title: "it is lost", count: 3, kind: "wish", urgent: true },
    });
  });

  it("by a form with defaults, which stand if nothing is typed", async () => {
    const properties = {
      name: { type: "string", default: "Ada" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "away"], default: "away" },
      verified: { type: "boolean", default: true },
      note: { type: "string" },
    };
    const form = { message: "Yours?", requestedSchema: { type: "object", properties, required: ["status"] } };
    const { type, answer, waitFor, place } = await open("elicitation/create", form);
    type("go\r");
    await waitFor(/1-2 ›/);
    await answer("1\r");
    for (const line of ["name (left empty: Ada)", "age (left empty: 30)", "score (left empty: 95.5)"]) {
      await waitFor(`│ ${line}`);
      await answer("\r");
    }
    await waitFor("│ status (left empty: away)");
    await answer("active\r");
    await waitFor("│ verified (left empty: yes)");
    await answer("\r");
    await waitFor("│ note (may be left empty)");
    await answer("\r");
    await waitFor("Done.");
    expect(answerIn(place)).toEqual({
      action: "accept",
      content: { name: "Ada", age: 30, score: 95.5, status: "active", verified: true },
    });
  });

  it("to open an address, whose host is named", async () => {
    const { type, answer, waitFor, place } = await open("elicitation/create", ADDRESS);
    type("go\r");
    await waitFor(/Log in\.[\s\S]*an address of log\.example: https:\/\/log\.example\/in\?x=1[\s\S]*1-2 ›/);
    await answer("2\r");
    await waitFor("Done.");
    expect(answerIn(place)).toEqual({ action: "decline" });
  });
});
