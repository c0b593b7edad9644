// The host's services for what outlasts a session, asked for by every kind of addon, through the real command.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { sessionFolder } from "../../packages/induscode/src/conductor/sessions.ts";
import { acceptMemory } from "../../packages/induscode/src/parts/memory/memory.ts";
import { homePath } from "../../packages/induscode/src/store/home-files.ts";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { compileReply } from "../support/test-wasm.ts";

type Asking = readonly [method: string, params: Readonly<Record<string, unknown>>];

const MODEL = ["--model", "anthropic/scripted"] as const;

interface Addon {
  /** Of the capability: `kind = "work_items"\nread = true`. */
  readonly capability: string;
  readonly asks: readonly Asking[];
}

const inlined = (comment: string, capability: string): string =>
  ["/// indus-addon", "[[capability]]", ...capability.split("\n"), 'reason = "asks"', "///"]
    .map((line) => `${comment} ${line}`)
    .join("\n");
const manifest = (capability: string, run: string): string =>
  `id = "asker"\n[run]\n${run}\n[[capability]]\n${capability}\nreason = "asks"\n`;
const snake = (method: string): string => method.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const request = ([method, params]: Asking, id: number): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

/** An addon whose command `/ask` asks the host for one thing after the other, and says of each `3 ok` or `3 denied`. */
const KINDS: Readonly<Record<string, (place: Workplace, addon: Addon) => void | Promise<void>>> = {
  TypeScript: (place, { capability, asks }) =>
    void place.file(
      ".indus/addons/asker.ts",
      `${inlined("//", capability)}
import { type AddonSurface, HostRefused } from "induscode/addons";
const asks: [string, Record<string, unknown>][] = ${JSON.stringify(asks)};
export function register({ addCommand, host }: AddonSurface): void {
  addCommand("ask", { summary: "asks", run: async ({ say }) => {
    const services = host as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
    for (const [at, [method, params]] of asks.entries())
      await services[method]!(...Object.values(params)).then(
        () => say(at + " ok"),
        (error: HostRefused) => say(at + " " + error.kind),
      );
  } });
}
`,
    ),
  Python: (place, { capability, asks }) =>
    void place.file(
      ".indus/addons/asker.py",
      `${inlined("#", capability)}
import json
from induscode.addons import CommandSpec, HostRefused

ASKS = json.loads(${JSON.stringify(JSON.stringify(asks.map(([method, params]) => [snake(method), params])))})

def register(surface):
    def run(ctx):
        for at, (method, params) in enumerate(ASKS):
            try:
                getattr(surface.host, method)(*params.values())
                print(f"{at} ok")
            except HostRefused as refused:
                print(f"{at} {refused.kind}")
    surface.add_command("ask", CommandSpec(summary="asks", run=run))
`,
    ),
  "any program": (place, { capability, asks }) => {
    place.file(".indus/addons/asker/manifest.toml", manifest(capability, 'command = ["./asker.sh"]'));
    const next = asks.map((ask, at) => `    ${at}) printf '%s\\n' '${request(ask, 900 + at)}' ;;`).join("\n");
    chmodSync(
      place.file(
        ".indus/addons/asker/asker.sh",
        `#!/bin/sh
call=
say() { printf '{"jsonrpc":"2.0","method":"progress","params":{"id":%s,"text":"%s"}}\\n' "$call" "$1"; }
ask() {
  case $1 in
${next}
    *) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\\n' "$call" ;;
  esac
}
while IFS= read -r line; do
  id=\${line#*'"id":'}
  id=\${id%%[!0-9]*}
  case $line in
    *'"method":"describe"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocol":1,"commands":[{"name":"ask","summary":"asks"}]}}\\n' "$id" ;;
    *'"method":"command"'*) call=$id; printf '{"jsonrpc":"2.0","method":"ack","params":{"id":%s}}\\n' "$id"; ask 0 ;;
    *'"method":"dispose"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\\n' "$id"; exit 0 ;;
    *'"method"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\\n' "$id" ;;
    *'"code":-32001'*) say "$((id - 900)) denied"; ask $((id - 899)) ;;
    *'"error"'*) say "$((id - 900)) refused"; ask $((id - 899)) ;;
    *'"result"'*) say "$((id - 900)) ok"; ask $((id - 899)) ;;
  esac
done
`,
      ),
      0o755,
    );
  },
  WebAssembly: async (place, { capability, asks }) => {
    place.file(".indus/addons/asker/manifest.toml", manifest(capability, 'wasm = "asker.wasm"'));
    const steps = asks.map(
      (ask, at) => `say(message, ${at}, call(${JSON.stringify(request(ask, 900 + at))}));`,
    );
    const module = `
  if (message.includes('"method":"describe"'))
    return result(message, '{"protocol":1,"commands":[{"name":"ask","summary":"asks"}]}');
  if (message.includes('"method":"command"')) { ${steps.join("\n")} }
  return result(message, "{}");`;
    const say = `function say(message: string, at: i32, answer: string): void {
  const how = answer.includes("-32001") ? "denied" : answer.includes('"error"') ? "refused" : "ok";
  call('{"jsonrpc":"2.0","method":"progress","params":{"id":' + idOf(message) + ',"text":"' + at.toString() + " " + how + '"}}');
}`;
    place.bytes(".indus/addons/asker/asker.wasm", await compileReply(module, undefined, say));
  },
};

interface Service {
  readonly kind: string;
  /** By the right that each needs. */
  readonly asks: readonly (readonly [
    right: string,
    method: string,
    params: Readonly<Record<string, unknown>>,
  ])[];
  /** What is there before. */
  readonly lay: (place: Workplace) => void;
  readonly file: (place: Workplace) => string;
  /** What of it stands in the file, where it has all rights. */
  readonly written: readonly string[];
  /** What the person reads of that. */
  readonly told: string;
  /** What the mode read-only leaves of its rights. */
  readonly inReadOnly: readonly string[];
}

const folderOf = ({ home, cwd }: Workplace): string => basename(sessionFolder(home, cwd));
const itemsFile = (place: Workplace): string => homePath(place.home, "workItems", folderOf(place));
const memoryFile = (place: Workplace): string => homePath(place.home, "memory", folderOf(place));
const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const ticket = (id: string) => ({
  kind: "ticket_posted",
  ticket: { id, title: `the title of ${id}`, brief: "", priority: "normal", deps: [] },
});
const TWO_ITEMS = `${JSON.stringify({ seq: 1, at: "2026-01-01T00:00:00.000Z", by: "somebody", acts: [ticket("tkt_1"), ticket("tkt_2")] })}\n`;

const SERVICES: readonly Service[] = [
  {
    kind: "work_items",
    asks: [
      ["read", "workItemList", { status: "open" }],
      ["read", "workItemChanges", { after: 0 }],
      ["write", "workItemCreate", { title: "made here" }],
      ["write", "workItemComment", { id: "tkt_1", text: "a comment" }],
      ["write", "workItemMove", { id: "tkt_1", to: "done", reason: "it works" }],
      ["write", "workItemDepend", { id: "tkt_2", on: ["tkt_1"] }],
    ],
    inReadOnly: ["read"],
    lay: (place) => put(itemsFile(place), TWO_ITEMS),
    file: itemsFile,
    written: ["made here", "a comment", "it works", '"on":["tkt_1"]', '"by":"project:asker"'],
    told: "",
  },
  {
    kind: "memory",
    asks: [
      ["read", "memorySearch", { words: "Tabs" }],
      ["write", "memoryAdd", { text: "made here" }],
      ["write", "memoryReplace", { old: "tabs, not blanks", text: "blanks, not tabs" }],
    ],
    inReadOnly: ["read"],
    lay: (place) => {
      put(memoryFile(place), "# My own words\n\n- tabs, not blanks\n");
      acceptMemory({ user: homePath(place.home, "memory", "user"), project: memoryFile(place) });
    },
    file: memoryFile,
    written: ["- made here (from project:asker)", "- blanks, not tabs (from project:asker)"],
    told: '! project:asker: added to memory: "made here" (/memory)\n! project:asker: changed in memory: "blanks, not tabs" (/memory)\n',
  },
  {
    kind: "sessions",
    asks: [
      ["spawn", "sessionSpawn", { agent: "researcher", objective: "Look." }],
      ["message", "sessionMessage", { id: "session-1", text: "Look again." }],
      ["spawn", "sessionStop", { id: "session-1" }],
      ["restore", "sessionRestore", { id: "session-1", text: "Go on." }],
      ["spawn", "sessionWait", { id: "session-1" }],
      ["spawn", "sessionList", {}],
    ],
    inReadOnly: ["spawn", "message", "restore"],
    lay: () => undefined,
    file: (place) => place.logs().find((log) => !log.includes("/delegates/")) ?? "",
    written: [
      ...["spawn", "message", "restore"].map(
        (deed) => `"status":"working","by":"project:asker","deed":"${deed}"`,
      ),
      '"status":"stopped","by":"project:asker"',
      '"status":"done","by":"project:asker"',
    ],
    told: "! project:asker: started session-1 (researcher): Look.\n! project:asker: resumed session-1 (researcher): Go on.\n",
  },
];

/** The session is not answered before it goes on, so it works until it is stopped. */
const SCRIPT: Script = ({ rawBody }) =>
  rawBody.includes("Go on.") ? { text: "It is 42." } : { trouble: { kind: "silence", after: 0 } };

describe.each(rows(SERVICES, theFirst))(
  "the service $kind",
  ({ kind, asks, lay, file, written, told, inReadOnly }) => {
    const rights = [...new Set(asks.map(([right]) => right))];
    const kinds = rows(Object.entries(KINDS), ([kind]) => kind === "TypeScript");
    describe.each(kinds)("asked for by an addon in %s", (_, layAddon) => {
      const answers = async (granted: readonly string[], more: readonly string[] = []) => {
        const place = await createServedShared(SCRIPT);
        lay(place);
        const capability = [`kind = "${kind}"`, ...granted.map((right) => `${right} = true`)].join("\n");
        await layAddon(place, { capability, asks: asks.map(([, ...ask]) => ask) });
        const { stdout, stderr } = await place.run(["-p", "/ask", "--grant", "asker", ...MODEL, ...more]);
        return { said: stdout.trim().split("\n"), place, stderr };
      };
      /** Who has some rights alone may name nothing that is there: what counts is that it is not denied. */
      const denials = (said: readonly string[]): readonly string[] =>
        said.map((each, at) => `${at} ${each.endsWith(" denied") ? "denied" : "heard"}`);
      const having = (granted: readonly string[]): readonly string[] =>
        asks.map(([right], at) => `${at} ${granted.includes(right) ? "heard" : "denied"}`);

      it("answers what its grants cover, and what it keeps bears the addon's name", async () => {
        const { said, place, stderr } = await answers(rights);
        expect(said).toEqual(asks.map((_ask, at) => `${at} ok`));
        expect(stderr).toBe(told);
        const text = readFileSync(file(place), "utf8");
        for (const part of written) expect(text).toContain(part);
      });

      it(
        "answers nothing else: one right alone, and no more than read-only leaves (its twin is above)",
        LONG_ONLY,
        async () => {
          for (const right of rights) {
            const { said, place, stderr } = await answers([right]);
            expect(denials(said)).toEqual(having([right]));
            if (right !== "read") continue;
            expect(stderr).toBe("");
            const before = readFileSync(file(place), "utf8");
            for (const part of written) expect(before).not.toContain(part);
          }
          const kept = await answers(rights, ["--permission-mode", "read-only"]);
          expect(denials(kept.said)).toEqual(having(inReadOnly));
        },
      );
    });
  },
);
