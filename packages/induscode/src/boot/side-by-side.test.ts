import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Entry } from "../conductor/contract.ts";
import { wireSession } from "./wire.ts";

interface Person {
  readonly cwd: string;
  readonly entries: () => Promise<readonly Entry[]>;
}

/** A session of somebody with a home, a folder and an environment of their own, which has not begun. */
function person(name: string, calls: readonly (readonly [tool: string, input: object])[]): Person {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-side-by-side-")));
  const [home, cwd] = [join(base, "home"), join(base, "work")];
  for (const folder of [home, cwd, join(home, ".indus")]) mkdirSync(folder);
  writeFileSync(join(home, "note.txt"), `the note of ${name}`);
  writeFileSync(join(home, ".indus/settings.json"), '{"localServers":[]}');
  const contents = calls.map(([tool, input], at) => ({ kind: "tool_call", id: `c${at}`, name: tool, input }));
  const replies = [...contents, { kind: "text", text: "done" }].map((content, at) => ({
    turn: at + 1,
    reply: { message: { role: "assistant", content: [content] } },
  }));
  const lines = [{ cassette: 1, about: "x" }, ...replies].map((line) => JSON.stringify(line));
  writeFileSync(join(cwd, "tape.jsonl"), `${lines.join("\n")}\n`);
  return {
    cwd,
    async entries() {
      const session = await wireSession({
        flags: { cassette: "tape.jsonl", allow: ["read(~/note.txt)", "find(~/**)", "bash"] },
        cwd,
        home: join(home, ".indus"),
        env: { PATH: process.env.PATH, HOME: home, MINE: name },
      });
      const entries: Entry[] = [];
      session.conductor.subscribe((event) => void (event.kind === "entry" && entries.push(event.entry)));
      await session.conductor.submit({ content: [{ kind: "text", text: "go" }] });
      expect(await session.close()).toEqual([]);
      return entries;
    },
  };
}

const textsOf = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) => (entry.type === "tool" ? [entry.text] : []));

it("twenty sessions in one process have each their own folder, home and environment", async () => {
  const before = { cwd: process.cwd(), env: { ...process.env } };
  const people = Array.from({ length: 20 }, (_, at) => {
    const name = `person ${at}`;
    return {
      name,
      ...person(name, [
        ["read", { path: "~/note.txt" }],
        ["find", { query: "note", path: "~" }],
        ["bash", { command: 'pwd; echo "$MINE"; cat ~/note.txt', cwd: "." }],
      ]),
    };
  });
  const seen = await Promise.all(people.map(({ entries }) => entries()));
  people.forEach(({ name, cwd }, at) => {
    const [read, found, ran] = textsOf(seen[at] ?? []);
    expect(read).toContain(`the note of ${name}`);
    expect(found).toContain("note.txt");
    expect(ran).toContain(`${cwd}\n${name}\nthe note of ${name}`);
    expect(JSON.stringify(seen[at])).not.toMatch(new RegExp(`person (?!${at}\\b)\\d`));
  });
  expect({ cwd: process.cwd(), env: { ...process.env } }).toEqual(before);
}, 120_000);
