// An addon of each kind with one purpose: its transform of an event, or its interceptor, returns what a test specifies.

import type { Workplace } from "./indus.ts";
import { rawManifest, rawProgram } from "./raw-addon.ts";
import { compileReply } from "./test-wasm.ts";

export const ANSWERING_KINDS = ["ts", "python", "process", "wasm"] as const;
export type AnsweringKind = (typeof ANSWERING_KINDS)[number];

export interface Answers {
  /** The events that it transforms, with its answers; `echo` is a copy of what it was given. */
  readonly events?: Readonly<Record<string, object | string | null>>;
  /** The answers of its interceptor's halves around every tool. */
  readonly enter?: unknown;
  readonly exit?: unknown;
  /** One capability requested in its manifest, as lines of TOML. */
  readonly asks?: readonly string[];
}

/** Puts the addon `answers` into a workplace. */
export async function putAnsweringAddon(
  place: Workplace,
  kind: AnsweringKind,
  answers: Answers,
): Promise<void> {
  if (kind === "ts") place.file(".indus/addons/answers.ts", typescript(answers));
  else if (kind === "python") place.file(".indus/addons/answers.py", python(answers));
  else if (kind === "process") {
    place.file(
      ".indus/addons/answers/manifest.toml",
      rawManifest("answers", registration(answers), asked(answers)),
    );
    place.file(".indus/addons/answers/addon.py", rawProgram(process(answers)));
  } else {
    const manifest = `id = "answers"\n${asked(answers)}\n[run]\nwasm = "answers.wasm"\n`;
    place.file(".indus/addons/answers/manifest.toml", manifest);
    const module = await compileReply(wasm(answers), ["--maximumMemory", "256"]);
    place.bytes(".indus/addons/answers/answers.wasm", module);
  }
}

function asked({ asks }: Answers): string {
  return asks === undefined ? "" : ["[[capability]]", ...asks].join("\n");
}

function block(comment: string, answers: Answers): string {
  const lines = ["/// indus-addon", ...asked(answers).split("\n"), "///"];
  return answers.asks === undefined ? "" : lines.map((line) => `${comment} ${line}\n`).join("");
}

function registration({ events = {}, enter, exit }: Answers): object {
  const halves = { enter: enter !== undefined, exit: exit !== undefined };
  return {
    handlers: Object.keys(events).map((event) => ({ event, kind: "transform" })),
    ...(halves.enter || halves.exit ? { interceptors: [{ match: "*", ...halves }] } : {}),
  };
}

function typescript({ events = {}, enter, exit, ...rest }: Answers): string {
  const json = (value: unknown): string =>
    value === "echo" ? "structuredClone(given)" : JSON.stringify(value);
  return [
    block("//", rest),
    'import { transform } from "induscode/addons";',
    "export function register(surface: any) {",
    ...Object.entries(events).map(
      ([event, answer]) => `surface.on("${event}", transform((given: any) => (${json(answer)})));`,
    ),
    ...(enter === undefined && exit === undefined ? [] : ['surface.interceptTool("*", {']),
    ...(enter === undefined ? [] : [`enter: () => (${json(enter)}),`]),
    ...(exit === undefined ? [] : [`exit: () => (${json(exit)}),`]),
    ...(enter === undefined && exit === undefined ? [] : ["});"]),
    "}",
  ].join("\n");
}

function python({ events = {}, enter, exit, ...rest }: Answers): string {
  const json = (value: unknown): string =>
    value === "echo"
      ? "dict(reversed(given.items()))"
      : `json.loads(${JSON.stringify(JSON.stringify(value))})`;
  const halves = Object.entries({ enter, exit })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=lambda given: ${json(value)}`);
  return [
    block("#", rest),
    "import json",
    "from induscode.addons import InterceptorStage, TransformHandler",
    "def register(surface):",
    ...Object.entries(events).map(
      ([event, answer]) => `    surface.on("${event}", TransformHandler(lambda given: ${json(answer)}))`,
    ),
    ...(halves.length === 0
      ? []
      : [`    surface.intercept_tool("*", InterceptorStage(${halves.join(", ")}))`]),
    "    return None",
  ].join("\n");
}

function process({ events = {}, enter, exit }: Answers): string {
  const load = (value: unknown): string => `json.loads(${JSON.stringify(JSON.stringify(value))})`;
  return [
    'if method == "describe": answer(id, {"protocol": 1, **REGISTRATION})',
    'elif method == "dispose": answer(id, {}); break',
    ...Object.entries(events).map(
      ([event, given]) =>
        `elif method == "event" and params["event"] == "${event}": answer(id, {"payload": ${given === "echo" ? 'dict(reversed(params["payload"].items()))' : load(given)}})`,
    ),
    `elif method == "enter": answer(id, ${load(enter ?? null)})`,
    `elif method == "exit": answer(id, {"result": ${load(exit ?? null)}})`,
    "else: answer(id, {})",
  ].join("\n");
}

function wasm({ events = {}, enter, exit }: Answers): string {
  const text = (value: unknown): string => JSON.stringify(JSON.stringify(value));
  const has = (part: string): string => `message.includes(${JSON.stringify(part)})`;
  return [
    `if (${has('"method":"describe"')}) return result(message, ${text({ protocol: 1, ...registration({ events, enter, exit }) })});`,
    ...Object.entries(events).map(([event, given]) => {
      const payload =
        given === "echo"
          ? "message.substring(message.indexOf('\"payload\":') + 10, message.length - 2)"
          : text(given);
      return `if (${has(`"event":"${event}"`)}) return result(message, '{"payload":' + ${payload} + "}");`;
    }),
    `if (${has('"method":"enter"')}) return result(message, ${text(enter ?? null)});`,
    `if (${has('"method":"exit"')}) return result(message, '{"result":' + ${text(exit ?? null)} + "}");`,
    'return result(message, "{}");',
  ].join("\n");
}
