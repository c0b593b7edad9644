// What authors put into the folder of addons by mistake, through the real command: each says what happened, and a program that
// fails shows its last words.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { rows, theFirst } from "../support/long-form.ts";
import { needs } from "../support/needs.ts";

type Files = Readonly<Record<string, string>>;

const program = (command: string, files: Files = {}): Files => ({
  "wrong/manifest.toml": `id = "wrong"\n[run]\ncommand = ${command}\n`,
  ...files,
});
const script = (text: string): Files => program('["./run"]', { "wrong/run": text });

const PROGRAMS: readonly (readonly [what: string, files: Files, told: string])[] = [
  [
    "a program that echoes its input",
    program('["cat"]'),
    "sent the request describe back unchanged: a program that echoes its input does not speak the protocol",
  ],
  [
    "a program that talks to people",
    program('["echo", "Hello, world"]'),
    'expected one JSON message per line, found "Hello, world" (write output for people to standard error)',
  ],
  [
    "a module that registers nothing",
    { "wrong.ts": "export function register() {}\n" },
    "it contributes nothing",
  ],
  [
    "a script that dies at once",
    script(
      "#!/bin/sh\necho first >&2\necho no configuration found >&2\n\necho giving up >&2\necho '' >&2\nexit 4\n",
    ),
    "its process exited with code 4. Its last output: first ⏎ no configuration found ⏎ giving up",
  ],
  [
    "a script that dies at once and says nothing",
    script("#!/bin/sh\nexit 4\n"),
    "its process exited with code 4\n",
  ],
  [
    "a script that says more than anybody reads",
    script(`#!/bin/sh\nfor n in 1 2 3 4 5 6; do echo "line $n ${"x".repeat(300)}" >&2; done\nexit 4\n`),
    "Its last output: line 4 xx",
  ],
  [
    "a script whose interpreter is not installed",
    script("#!/usr/bin/no-such-ruby -w\nputs 1\n"),
    '"./run" cannot be run: its shebang line "#!/usr/bin/no-such-ruby -w" needs /usr/bin/no-such-ruby, which is not installed',
  ],
  [
    "a script whose interpreter env does not find",
    script("#!/usr/bin/env -S no-such-ruby -w\nputs 1\n"),
    'its shebang line "#!/usr/bin/env -S no-such-ruby -w" needs no-such-ruby, which is not installed',
  ],
  [
    "a script with the line ends of Windows",
    script("#!/bin/sh\r\nexit 0\r\n"),
    'its shebang line "#!/bin/sh\\r" ends with a carriage return: save it with Unix line endings',
  ],
  [
    "Python that dies while it is loaded",
    { "wrong.py": "import os, sys\nprint('no token', file=sys.stderr, flush=True)\nos._exit(9)\n" },
    "its process exited with code 9. Its last output: no token",
  ],
];

function lay({ home }: Pick<Workplace, "home">, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    if (path.endsWith(".py")) needs("python3");
    const full = join(home, "addons", path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    chmodSync(full, 0o755);
  }
}

describe.each(rows(PROGRAMS, theFirst))("%s", (_, files, told) => {
  it("says what happened, where a session starts and where addons are listed and checked", async () => {
    const place = createSharedWorkplace();
    lay(place, files);
    place.settings({ localServers: [], addons: { grant: ["wrong"] } });
    const listed = await place.run(["addons"]);
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain(told);
    const [name = ""] = Object.keys(files);
    const checked = await place.run(["addon", "check", join(place.home, "addons", name.split("/")[0] ?? "")]);
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain(told);
  });
});

it("a program that may not be run says how to change that", async () => {
  const place = createSharedWorkplace();
  lay(place, script("#!/bin/sh\n"));
  const path = join(place.home, "addons/wrong/run");
  chmodSync(path, 0o644);
  place.settings({ localServers: [], addons: { grant: ["wrong"] } });
  expect((await place.run(["addons"])).stdout).toContain(`it is not executable: run chmod +x ${path}`);
});

describe("what lies among the addons and is none", () => {
  const STRAYS: Files = {
    "__pycache__/x.pyc": "",
    "node_modules/y/index.js": "",
    "tool.rb": "puts 1",
    "half/notes.txt": "",
    "README.md": "",
    "good.py": "def register(surface): pass\n",
    "good.expect.toml": "",
    ".DS_Store": "",
  };

  it("is said by `indus addons` and `indus doctor`; a start tells what somebody may wait for", async () => {
    const place = createSharedWorkplace();
    lay(place, STRAYS);
    const addons = join(place.home, "addons");
    const ruby = `${join(addons, "tool.rb")} is not an addon: a file must end in one of .ts, .tsx, .mts, .cts, .js, .mjs, .cjs, .py`;
    const folder = `${join(addons, "half")} is not an addon: a folder needs manifest.toml, index.ts or index.js, __init__.py, or "indusAddon" in its package.json`;
    const python = `${join(addons, "__pycache__")} is not an addon: it is a cache that Python made`;
    const npm = `${join(addons, "node_modules")} is not an addon: it is a folder of packages that npm installed`;
    for (const command of ["addons", "doctor"]) {
      const { stdout } = await place.run([command]);
      for (const told of [ruby, folder, python, npm]) expect(stdout).toContain(told);
      expect(stdout.match(/is not an addon/g)).toHaveLength(4);
    }
    const started = await place.run(["--model", "anthropic/x"], {
      stdin: "/quit\n",
      env: { ANTHROPIC_API_KEY: "key-of-a-test" },
    });
    for (const told of [ruby, folder]) expect(started.stdout).toContain(told.replace(place.home, "~"));
    expect(started.stdout).not.toContain("__pycache__");
  });

  it("and what Python left in an addon is named as why it is asked about again", async () => {
    const place = createSharedWorkplace();
    lay(place, { "pack/__init__.py": "def register(surface): pass\n", "pack/__pycache__/x.pyc": "" });
    const { stdout } = await place.run(["addons"]);
    expect(stdout).toContain(
      `is not trusted yet: start indus in a terminal to be asked, or pass --grant pack (${join(place.home, "addons/pack/__pycache__")}, left there by Python, is part of its content: remove it)`,
    );
  });
});
