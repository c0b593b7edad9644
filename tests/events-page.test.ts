// docs/reference/events.md says everything that an author must know of the events, and its examples are true: those in
// TypeScript and Python answer each payload as the JSON says, and the JSON fits the schema. That the page is fresh is
// `npm run check`'s to say (and protocol-files.test.ts).

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { register } from "../examples/events/every-event.ts";
import { createSurface } from "../packages/induscode/src/addons/kit/index.ts";
import { SHAPES } from "../packages/induscode/src/addons/process/protocol/shapes.ts";
import { acceptPayload } from "../packages/induscode/src/feature/dispatch/accept-payload.ts";
import { deepFreeze } from "../packages/induscode/src/feature/dispatch/freeze.ts";
import { HOOK_EVENTS, type HookEvent, RESERVED_EVENTS } from "../packages/induscode/src/feature/events.ts";
import { PAYLOAD_SHAPES, SHAPE_OF_EVENT } from "../packages/induscode/src/feature/payload-shapes.ts";
import { createShapeChecks } from "../packages/induscode/src/feature/shape.ts";
import { rows, theFirst } from "./support/long-form.ts";
import { needs } from "./support/needs.ts";
import { createServedWorkplace } from "./support/served-workplace.ts";

const ROOT = join(import.meta.dirname, "..");
const EXAMPLES = join(ROOT, "examples/events");
const page = readFileSync(join(ROOT, "docs/reference/events.md"), "utf8");
const schemaText = readFileSync(join(ROOT, "packages/induscode/src/feature/events.schema.json"), "utf8");

interface Case {
  readonly event: HookEvent;
  readonly payload: JsonObject;
  readonly result: JsonObject & { readonly payload?: JsonObject };
}

/** In the order of the handlers of each example. */
const CASES: readonly Case[] = Object.entries(
  JSON.parse(readFileSync(join(EXAMPLES, "every-event.json"), "utf8")) as Record<
    HookEvent,
    Omit<Case, "event">[]
  >,
).flatMap(([event, cases]) => cases.map((one) => ({ event: event as HookEvent, ...one })));

describe("the schema", () => {
  interface Described {
    readonly description?: string;
    readonly $ref?: string;
    readonly type?: string;
    readonly unit?: string;
    readonly stopped?: string;
    readonly properties?: Readonly<Record<string, Described>>;
  }
  type Schema = Readonly<Record<"events" | "$defs", Readonly<Record<string, Described>>>>;

  /** The places that say too little. */
  function unsaid({ events, $defs }: Schema): readonly string[] {
    const isSaid = ({ description = "" }: Described): boolean => /^[A-Z`].*\.$/.test(description);
    return [
      ...Object.entries(events).flatMap(([name, event]) => [
        ...(isSaid(event) ? [] : [`${name}: description`]),
        ...((event.stopped === undefined) === RESERVED_EVENTS.has(name as HookEvent)
          ? [`${name}: stopped`]
          : []),
      ]),
      ...Object.entries($defs).flatMap(([name, def]) => [
        ...(isSaid(def) ? [] : [`${name}: description`]),
        ...Object.entries(def.properties ?? {}).flatMap(([field, of]) => [
          ...(isSaid(of) || (of.$ref !== undefined && of.description === undefined)
            ? []
            : [`${name}.${field}: description`]),
          ...(/integer|number/.test(of.type ?? "") && of.unit === undefined
            ? [`${name}.${field}: unit`]
            : []),
        ]),
      ]),
    ];
  }

  it("describes every event, type and field, and gives each number its unit", () => {
    expect(unsaid(JSON.parse(schemaText) as Schema)).toEqual([]);
  });

  it.each([
    ["an event", '"description": "A session closed.', "session:end: description"],
    ["a type", '"description": "Which session it is."', "LifecyclePayload: description"],
    ["a field", '"description": "The session\'s id', "LifecyclePayload.sessionId: description"],
    ["a stop", '"stopped": "the transcript stays', "compact:before: stopped"],
    ["a unit", '"unit": "tokens"', "ModelParams.maxOutputTokens: unit"],
  ])("without the words of %s is found out (the twin)", (_what, words, place) => {
    expect(schemaText).toContain(words);
    const shortened = schemaText.replace(words, words.replace(/^"\w+"/, '"left"'));
    expect(unsaid(JSON.parse(shortened) as Schema)).toEqual([place]);
  });
});

describe("the page", () => {
  /** What of an event is not in its section: a field of its payload, or an example in one of the languages. */
  function missing(text: string): readonly string[] {
    return HOOK_EVENTS.flatMap((event) => {
      const [, rest = ""] = text.split(`\n## ${event}\n`);
      const section = rest.split(/\n## /)[0] ?? "";
      const fields = Object.keys(PAYLOAD_SHAPES[SHAPE_OF_EVENT[event]]?.properties ?? {});
      const languages = ["ts", "python", "json", ...(RESERVED_EVENTS.has(event) ? ["toml"] : [])];
      return [
        ...fields.filter((field) => !section.includes(`\n| \`${field}\` | `)),
        ...languages.filter((language) => !section.includes(`\n\`\`\`${language}\n`)),
      ].map((what) => `${event}: ${what}`);
    });
  }

  /** The types that payloads lead to whose fields it does not have. */
  function missingTypes(text: string): readonly string[] {
    const payloads = new Set(Object.values(SHAPE_OF_EVENT));
    return Object.entries(PAYLOAD_SHAPES).flatMap(([name, { properties = {} }]) => {
      const [, rest = ""] = text.split(`\n### ${name}\n`);
      const section = rest.split(/\n### /)[0] ?? "";
      const fields = payloads.has(name) ? [] : Object.keys(properties);
      return fields
        .filter((field) => !section.includes(`\n| \`${field}\` | `))
        .map((field) => `${name}.${field}`);
    });
  }

  it("has each field of each event and of each type, and an example in each language", () => {
    expect([...missing(page), ...missingTypes(page)]).toEqual([]);
  });

  it("without a field is found out (the twin)", () => {
    const [before = "", after = ""] = page.split("\n## shell:env\n");
    const shorter = `${before}\n## shell:env\n${after.replace(/^\| `env` .*\n/m, "")}`;
    expect(missing(shorter)).toEqual(["shell:env: env"]);
    expect(missingTypes(page.replace(/^\| `thinking` .*\n/m, ""))).toEqual(["ModelParams.thinking"]);
  });

  it("has no link to a heading that it does not have", () => {
    const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((anchor = "") => !headings.includes(anchor))).toEqual([]);
  });
});

describe("the examples in JSON", () => {
  const payloads = createShapeChecks(PAYLOAD_SHAPES);
  const messages = createShapeChecks(SHAPES);

  it("are of all thirteen events", () => {
    expect([...new Set(CASES.map(({ event }) => event))]).toEqual(HOOK_EVENTS);
  });

  it.each(CASES)("fit the schema ($event)", ({ event, payload, result }) => {
    expect(payloads.problem(SHAPE_OF_EVENT[event], payload, event)).toBeUndefined();
    expect(messages.problem("EventResult", result, "result")).toBeUndefined();
    const returned = result.payload;
    if (returned === undefined) return;
    const accepted = acceptPayload(event, {
      given: payload as never,
      returned,
      requireRoom: () => undefined,
    });
    expect(accepted).toMatchObject(returned);
  });

  it("that do not fit are found out (the twin)", () => {
    const payload = { name: "bash", callId: "c", args: {}, isError: "no", text: "" };
    expect(payloads.problem("ToolAfterPayload", payload, "tool:after")).toBe(
      "tool:after.isError must be boolean, found string",
    );
  });
});

/** What a handler of TypeScript or Python answered, as it would stand on the wire. */
function onWire(kind: string, returned: JsonValue | undefined): JsonObject {
  if (kind === "observe" || returned === undefined || returned === null) return {};
  return kind === "gate" ? (returned as JsonObject) : { payload: returned };
}

describe("the examples in TypeScript", () => {
  it("answer each payload as the JSON says", async () => {
    const surface = createSurface("every-event");
    register(surface);
    const { subscriptions } = surface.manifest();
    expect(subscriptions.map(({ event }) => event)).toEqual(CASES.map(({ event }) => event));
    for (const [at, { event, payload, result }] of CASES.entries()) {
      const { handler } = subscriptions[at] as (typeof subscriptions)[number];
      const returned = await handler.run(deepFreeze(payload) as never, {
        signal: new AbortController().signal,
      });
      expect(onWire(handler.kind, returned as JsonValue | undefined), event).toEqual(result);
    }
  });
});

describe("the examples in Python", () => {
  const PROGRAM = `
import dataclasses, importlib.util, json, sys
from induscode.addons import HostServices, create_surface
class Listening:
    def notify(self, method, params): assert method == "log", method
spec = importlib.util.spec_from_file_location("every_event", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
surface = create_surface("every-event", None, HostServices(Listening()))
module.register(surface)
answers = []
for one, case in zip(surface.manifest().subscriptions, json.load(sys.stdin)):
    assert one.event == case["event"], (one.event, case["event"])
    returned = one.handler.run(case["payload"])
    if dataclasses.is_dataclass(returned):
        returned = dataclasses.asdict(returned)
    answers.append({"event": one.event, "kind": one.handler.kind, "returned": returned})
print(json.dumps(answers))
`;

  it("answer each payload as the JSON says", () => {
    needs("python3");
    const { stdout, stderr } = spawnSync("python3", ["-c", PROGRAM, join(EXAMPLES, "every_event.py")], {
      input: JSON.stringify(CASES),
      encoding: "utf8",
      env: {
        ...process.env,
        PYTHONPATH: join(ROOT, "packages/induscode/python"),
        PYTHONDONTWRITEBYTECODE: "1",
      },
    });
    expect(stderr).toBe("");
    const answers = JSON.parse(stdout) as { event: string; kind: string; returned: JsonValue }[];
    expect(answers.map(({ event, kind, returned }) => ({ event, result: onWire(kind, returned) }))).toEqual(
      CASES.map(({ event, result }) => ({ event, result })),
    );
  });
});

describe("the examples as addons of a real session", () => {
  const ADDONS = [
    ["TypeScript", "every-event.ts", "every-event"],
    ["Python", "every_event.py", "every_event"],
  ] as const;

  it.each(rows(ADDONS, theFirst))("change what they say they change (%s)", async (language, file, id) => {
    if (language === "Python") needs("python3");
    const place = await createServedWorkplace([
      {
        text: "I utilize bash.",
        calls: [{ name: "bash", input: { command: 'echo "$CI" ada@example.org' } }],
      },
      { text: "", calls: [{ name: "bash", input: { command: "git push" } }] },
      { text: "Done." },
    ]);
    place.file(`.indus/addons/${file}`, readFileSync(join(EXAMPLES, file), "utf8"));
    const flags = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", id];
    const { code, stderr } = await place.run(["-p", "todo: try it", ...flags]);
    expect({ code, faults: stderr.includes("failed at") }).toEqual({ code: 0, faults: false });
    const entries = place.entries();
    expect(entries.find(({ type }) => type === "user")).toMatchObject({
      content: [{ text: "Add this to the list of open work: try it" }],
    });
    expect(entries.filter(({ type }) => type === "tool")).toMatchObject([
      { text: expect.stringContaining("1 (an address)") },
      {
        state: "refused",
        text: `Refused: bash was not run, because pushing is left to the person (project:${id})`,
      },
    ]);
    expect(entries.find(({ type }) => type === "assistant")).toMatchObject({
      message: { content: [{ text: "I use bash." }, {}] },
    });
    expect(place.server.requests[0]?.body).toMatchObject({ temperature: 0 });
    expect(place.server.requests[0]?.rawBody).toContain("The release is frozen until Monday.");
    const verified = await place.run(["session", "verify"]);
    expect(verified.stdout).toContain("Every request is explained");
  });

  it("are gates as data, too", async () => {
    const place = await createServedWorkplace([]);
    place.file(
      ".indus/addons/gates/manifest.toml",
      readFileSync(join(EXAMPLES, "gates/manifest.toml"), "utf8"),
    );
    const { stderr } = await place.run(["-p", "go", "--model", "anthropic/scripted", "--grant", "gates"]);
    expect(stderr).toContain("Your line was blocked: this workspace is closed until Monday (project:gates)");
    expect(place.server.requests).toHaveLength(0);
  });
});
