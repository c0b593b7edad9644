// The whole of what a command's result had to cut is in a file that the result names, through the real command.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LONG_ONLY } from "../support/long-form.ts";
import type { RecordedRequest, ScriptedTurn } from "../support/model-server.ts";
import { createServedShared, type ServedWorkplace } from "../support/served-workplace.ts";

type Turn = ScriptedTurn | ((before: string, place: () => ServedWorkplace) => ScriptedTurn);

/** What the model read of each call; a turn can depend on what it was told before. */
async function ran(
  turns: readonly Turn[],
  args: readonly string[] = ["--permission-mode", "bypass"],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly texts: readonly string[]; readonly place: ServedWorkplace }> {
  const place: ServedWorkplace = await createServedShared((request, index) => {
    const turn = turns[index] ?? { text: "done" };
    return typeof turn === "function" ? turn(toldLast(request), () => place) : turn;
  });
  const { code } = await place.run(["-p", "go", "--model", "anthropic/x", ...args], { env });
  expect(code).toBe(0);
  return { place, texts: place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : [])) };
}

function toldLast({ body }: RecordedRequest): string {
  return JSON.stringify((body.messages as readonly unknown[]).at(-1));
}

const run = (command: string): ScriptedTurn => ({ calls: [{ name: "bash", input: { command } }] });
const placeIn = (told: string): string => /whole stdout: (\S+) \(/.exec(told)?.[1] ?? "nowhere";
const LINES = "seq -f 'line %g of the build' 20000";

it("is read, and searched, without a question; its folder is the person's alone, and it ends with the session", async () => {
  let modes: readonly number[] = [];
  let path = "";
  const { texts, place } = await ran(
    [
      run(LINES),
      (told, here) => {
        path = join(here().cwd, placeIn(told));
        modes = [path, join(path, ".."), join(path, "../..")].map((each) => statSync(each).mode & 0o777);
        return {
          calls: [
            { name: "read", input: { path: placeIn(told), offset: 9_999, limit: 2 } },
            { name: "grep", input: { pattern: "line 12345 ", path: placeIn(told) } },
          ],
        };
      },
    ],
    ["--allow", "bash(seq *)"],
  );
  expect(texts[0]).toMatch(
    /\n\[\d+ bytes elided to stay within the output ceiling\]\n[\s\S]*\nstatus: exit code 0\nwhole stdout: \.indus-process\/\S+\/stdout \(468894 bytes\), until the session ends$/,
  );
  expect(texts[1]).toContain("line 9999 of the build\n");
  expect(texts[1]).toContain("line 10000 of the build");
  expect(texts[2]).toContain("line 12345 of the build");
  expect(modes).toEqual([0o600, 0o700, 0o700]);
  expect(existsSync(path)).toBe(false);
  expect(readdirSync(join(place.cwd, ".indus-process"))).toEqual([".gitignore"]);
  expect(readFileSync(join(place.cwd, ".indus-process/.gitignore"), "utf8")).toBe("*\n");
});

it("is there only if something was cut, for each stream, as a terminal shows it", async () => {
  const kept: string[] = [];
  const { texts } = await ran([
    run("echo short; seq 5000 | sed 's/.*/\\r&/' | tr -d '\\n'"),
    run("for i in $(seq 20000); do printf '\\033[31m\"e\" %s\\033[0m\\n' $i; done >&2; echo fine"),
    (told, here) => {
      const path = /whole stderr: (\S+) \(/.exec(told)?.[1] ?? "";
      kept.push(readFileSync(join(here().cwd, path), "utf8"));
      expect(existsSync(join(here().cwd, path, "../stdout"))).toBe(false);
      return { text: "done" };
    },
  ]);
  expect(texts[0]).toBe("stdout:\nshort\n5000\n\nstatus: exit code 0");
  expect(texts[1]).not.toContain("whole stdout");
  expect(kept).toEqual([Array.from({ length: 20_000 }, (_, at) => `"e" ${at + 1}\n`).join("")]);
});

it("has no secret that the host knows", async () => {
  const kept: string[] = [];
  const secret = "hush-4242-abcdef-998877";
  const { texts } = await ran(
    [
      run(`${LINES}; echo hush-4242-"abcdef"-998877; ${LINES}`),
      (told, here) => {
        kept.push(readFileSync(join(here().cwd, placeIn(told)), "utf8"));
        return { text: "done" };
      },
    ],
    ["--permission-mode", "bypass"],
    { MY_API_TOKEN: secret },
  );
  expect(kept[0]).toContain("line 20000 of the build\n[");
  expect(kept[0]).not.toContain(secret);
  expect(texts[0]).not.toContain(secret);
});

it("of a flood its first part is kept, and of many commands the last ones", LONG_ONLY, async () => {
  const seen: (readonly string[])[] = [];
  const { texts } = await ran([
    run("head -c 40000000 /dev/zero | tr '\\0' 'x' | fold -w 100"),
    { calls: Array.from({ length: 9 }, () => ({ name: "bash", input: { command: LINES } })) },
    (_told, here) => {
      seen.push(readdirSync(join(here().cwd, ".indus-process")));
      return { text: "done" };
    },
  ]);
  expect(texts[0]).toMatch(
    /\nstdout, first 16777216 bytes: \.indus-process\/\S+\/stdout, until the session ends$/,
  );
  expect(seen[0]).toHaveLength(8 + [".gitignore"].length);
});

it("is not kept where the session may not write, and no file is promised", async () => {
  const { texts, place } = await ran([run("git log --format=%B")], ["--permission-mode", "read-only"]);
  expect(texts[0]).not.toContain("whole");
  expect(existsSync(join(place.cwd, ".indus-process"))).toBe(false);
});
