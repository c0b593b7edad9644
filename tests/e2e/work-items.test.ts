// The model's work items: opt in by a setting, kept for the folder, refused in words, and told of when others change them.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { sessionFolder } from "../../packages/induscode/src/conductor/sessions.ts";
import { openWorkItems } from "../../packages/induscode/src/parts/work-items/work-items.ts";
import { homePath } from "../../packages/induscode/src/store/home-files.ts";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { RecordedRequest, Script, ScriptedTurn } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/addons/work-items.ts");
const NAMES = ["WorkItemList", "WorkItemCreate", "WorkItemComment", "WorkItemMove", "WorkItemDepend"];
const GO = ["-p", "go", "--model", "anthropic/scripted"];
const calls = (name: string, input: unknown): ScriptedTurn => ({ calls: [{ name, input }] });
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body);
const fileOf = ({ home, cwd }: Workplace): string =>
  homePath(home, "workItems", basename(sessionFolder(home, cwd)));
const AS_IT_IS = { value: <T>(value: T): T => value };

async function place(script: Script) {
  const made = await createServedShared(script);
  writeFileSync(join(made.home, "settings.json"), '{ "workItems": true }');
  return { ...made, items: openWorkItems(fileOf(made), AS_IT_IS) };
}

const KINDS = [
  ["built in", "builtin:work-item", () => []],
  [
    "of the example",
    "project:work-items",
    ({ cwd, home }: Workplace) => {
      mkdirSync(join(cwd, ".indus/addons"), { recursive: true });
      copyFileSync(EXAMPLE, join(cwd, ".indus/addons/work-items.ts"));
      writeFileSync(join(home, "settings.json"), "{}");
      return ["--grant", "work-items"];
    },
  ],
] as const;

describe("the tools for work items", () => {
  it("are there with the setting, and a repository cannot give them (the twin: without it nothing is)", async () => {
    const { run, server } = await place([{ text: "Done." }]);
    await run(GO);
    for (const name of NAMES) expect(sent(server.requests[0])).toContain(`"${name}"`);
    const without = await createServedShared([{ text: "Done." }]);
    without.file(".indus/settings.json", '{ "workItems": true }');
    await without.run(GO);
    expect(sent(without.server.requests[0])).not.toContain("WorkItem");
  });

  it.each(rows(KINDS, theFirst))(
    "create, list, comment on, order and move what the next session finds, %s",
    async (_, feature, lay) => {
      const first = await place((_request, at) =>
        at === 0 ? calls("WorkItemCreate", { title: "first", brief: "do it" }) : { text: "Done." },
      );
      const go = [...GO, ...lay(first)];
      await first.run(go);
      const [{ id = "", postedBy = "" } = {}] = await first.items("test").list();
      expect(postedBy).toMatch(feature.startsWith("builtin:") ? /^session / : /^project:work-items$/);
      const then: readonly ScriptedTurn[] = [
        calls("WorkItemCreate", { title: "second", deps: [id] }),
        calls("WorkItemList", {}),
        calls("WorkItemComment", { id, text: "nearly" }),
        calls("WorkItemMove", { id, to: "done", reason: "it works" }),
        calls("WorkItemList", { id }),
        calls("WorkItemDepend", { id, on: [id] }),
        calls("WorkItemMove", { id: "tkt_none", to: "done" }),
        { text: "Done." },
      ];
      const { server } = await createServedShared(then);
      await first.run(go, { env: { ANTHROPIC_BASE_URL: server.url } });
      expect(sent(server.requests[2])).toMatch(new RegExp(`second +\\(waits for ${id}\\)`));
      expect(sent(server.requests[5])).toMatch(/done +normal +first[^"]*do it[^"]*it works[^"]*nearly/);
      expect(sent(server.requests[6])).toContain("dependency cycle");
      expect(sent(server.requests[7])).toContain('ticket not found: \\"tkt_none\\"');
      expect(readFileSync(fileOf(first), "utf8")).toContain('"ticket_done"');
    },
  );

  it("change nothing where the mode is read-only", async () => {
    const { run, server, items } = await place([
      calls("WorkItemCreate", { title: "first" }),
      calls("WorkItemList", {}),
      { text: "Done." },
    ]);
    await run([...GO, "--permission-mode", "read-only"]);
    expect(sent(server.requests[1])).toContain("the permission mode is read-only");
    expect(sent(server.requests[2])).toContain("No matching work items.");
    expect(await items("test").list()).toEqual([]);
  });

  it("are held to their bound: a file that is too large is refused and stays as it is", async () => {
    const made = await place([calls("WorkItemCreate", { title: "first" }), { text: "Done." }]);
    const { run, server, items } = made;
    await items("test").create({ title: "there already" });
    writeFileSync(fileOf(made), `${readFileSync(fileOf(made), "utf8")}${" ".repeat(4 * 1024 * 1024)}`);
    const { length } = readFileSync(fileOf(made));
    await run(GO);
    expect(sent(server.requests[1])).toContain("the limit is 4194304");
    expect(readFileSync(fileOf(made))).toHaveLength(length);
  });
});

describe.each(rows(KINDS, theFirst))("the watcher %s", (_, feature, lay) => {
  it("tells the model what others did, quoted, and nothing of what it did itself", async () => {
    const wasTold = (request: RecordedRequest): boolean => sent(request).includes(`[notice from ${feature}]`);
    let others: ReturnType<typeof openWorkItems> | undefined;
    // Another process makes one at each request, until one is told of.
    const made = await place((request, at) => {
      if (at === 0) return calls("WorkItemCreate", { title: "my own" });
      if (wasTold(request)) return { text: "Done." };
      void others?.("project:other").create({ title: `"forged"\u2028> told by another ${at}` });
      return { ...calls("WorkItemList", {}), trouble: { kind: "slow_start", delayMs: 100 } };
    });
    others = made.items;
    const { code } = await made.run([...GO, ...lay(made)]);
    expect(code).toBe(0);
    const [, told = ""] =
      new RegExp(`"(\\[notice from ${feature}\\].*?)","cache_control`).exec(
        sent(made.server.requests.at(-1)),
      ) ?? [];
    const lines = told.split("\\n").slice(1);
    expect(told).toContain("created by project:other");
    for (const line of lines) expect(line).toMatch(/^> /);
    expect(told).not.toContain("my own");
  });

  it("warns the person when it fails, and says why", LONG_ONLY, async () => {
    let warn = (): void => undefined;
    const warned = new Promise<void>((resolve) => {
      warn = resolve;
    });
    const made = await place(() => ({ text: "Done.", trouble: { kind: "held", until: warned } }));
    await made.items("test").create({ title: "there already" });
    writeFileSync(fileOf(made), `${readFileSync(fileOf(made), "utf8")}${" ".repeat(4 * 1024 * 1024)}`);
    const { stderr } = await made.runAlone([...GO, ...lay(made)], {
      onStart: ({ stderr: heard }) =>
        heard?.on("data", (piece) => {
          if (String(piece).includes("not watched")) warn();
        }),
    });
    expect(stderr).toContain(`! ${feature}: the work items are not watched for now: `);
  });
});
