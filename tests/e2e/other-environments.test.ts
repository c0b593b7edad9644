// The core of the command, one conversation with a tool call, an addon and a resume, where the machine is set up otherwise:
// another language, another time zone, files that only their owner or that everybody may touch, another user than root.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtCommand } from "../support/built.ts";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { lacks } from "../support/needs.ts";

const RUN: Script = [
  {
    text: "Looking.",
    calls: [{ name: "bash", input: { command: "echo INDIGO > made.txt && cat made.txt" } }],
  },
  { text: "It is INDIGO." },
  { text: "Again." },
];
const ADDON = `export function register(s: any) {
  s.on("tool:after", { kind: "transform", run: ({ text }: any) => ({ text: text.replace("INDIGO", "TITIL".toLowerCase()) }) });
}`;
const FLAGS = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "titil"];

/** A command that sets something up and becomes indus. */
function wrapped(lines: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "indus-wrapped-")), "indus");
  writeFileSync(path, `#!/bin/sh\n${lines}exec "${builtCommand()}" "$@"\n`);
  chmodSync(path, 0o755);
  chmodSync(dirname(path), 0o755);
  return path;
}

async function converse(
  env: Readonly<Record<string, string>>,
  options: { readonly command?: string; readonly prepare?: (place: Workplace) => void } = {},
): Promise<Workplace> {
  const server = await startModelServer(RUN);
  try {
    const place = createWorkplace(
      server.url,
      options.command === undefined ? {} : { command: options.command },
    );
    place.file(".indus/addons/titil.ts", ADDON);
    options.prepare?.(place);
    const first = await place.run(["-p", "go", ...FLAGS], { env });
    expect(first, "the first line").toMatchObject({ code: 0, stdout: "It is INDIGO.\n" });
    const again = await place.run(["-p", "-c", "and now?", ...FLAGS], { env });
    expect(again, "the line that goes on").toMatchObject({ code: 0, stdout: "Again.\n" });
    const entries = place.entries();
    expect(entries.find(({ type }) => type === "tool")).toMatchObject({
      state: "ok",
      text: expect.stringContaining("titil"),
    });
    expect(entries.filter(({ type }) => type === "user")).toHaveLength(2);
    expect(JSON.stringify(server.requests[2]?.body)).toContain("titil");
    const verified = await place.run(["session", "verify"], { env });
    expect(verified.stdout).toContain("Every request is explained");
    return place;
  } finally {
    await server.close();
  }
}

describe("a conversation goes its way", () => {
  const environments: readonly Readonly<Record<string, string>>[] = [
    { LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" },
    { LANG: "C", LC_ALL: "C" },
    { LANG: "", LC_ALL: "POSIX" },
    { TZ: "Pacific/Apia" },
    { TZ: "nowhere/at-all" },
  ];
  it.each(rows(environments, theFirst))("with %j", async (env) => {
    await converse(env);
  });

  it.each(rows(["077", "000"], theFirst))(
    "with the umask %s, and its logs are for their owner alone",
    LONG_ONLY,
    async (umask) => {
      const place = await converse({}, { command: wrapped(`umask ${umask}\n`) });
      for (const log of place.logs()) expect(statSync(log).mode & 0o077).toBe(0);
    },
  );

  const NOBODY = 65_534;
  const setpriv = ["--reuid", String(NOBODY), "--regid", String(NOBODY), "--clear-groups"];
  const canReach = (): boolean =>
    spawnSync("setpriv", [...setpriv, builtCommand(), "--version"]).status === 0;

  it.skipIf(lacks("root", process.getuid?.() === 0))(
    "as another user than root",
    LONG_ONLY,
    async (context) => {
      if (!canReach())
        return context.skip("nobody else may read the built command here, or there is no setpriv");
      const ownTemporary = 'export TMPDIR="$(dirname "$HOME")"\n';
      const line = `[ "$(id -u)" = ${NOBODY} ] || exec setpriv ${setpriv.join(" ")} "$0" "$@"\n${ownTemporary}`;
      await converse(
        {},
        {
          command: wrapped(line),
          prepare: ({ home }) => {
            spawnSync("chown", ["-R", `${NOBODY}:${NOBODY}`, dirname(home)]);
            // The folder of this run may be for its owner alone; the machine's own is not touched.
            for (let up = dirname(home); dirname(up) !== "/"; up = dirname(up)) chmodSync(up, 0o755);
          },
        },
      );
    },
  );
});
