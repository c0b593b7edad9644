// Faults as a person meets them: an error names its line, a conflict both sides, a failing command its owner. Through the real
// command, where each is shown: the check, the session, its list of addons, the addon's log.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/scripted"];

const logOf = (place: Workplace, id: string): string =>
  readFileSync(join(place.home, `logs/addons/${id}.log`), "utf8");

interface Broken {
  readonly files: Readonly<Record<string, string>>;
  /** As it is named in a message. */
  readonly at: string;
}

// The line is the fourth or later, so that one that TypeScript's compilation moved would show.
const AT_REGISTER: Readonly<Record<string, Broken>> = {
  TypeScript: {
    files: {
      "broken.ts": `interface Padding {\n  readonly a: string;\n}\nexport function register(): void {\n  throw new Error("no such key");\n}\n`,
    },
    at: "broken.ts, line 5",
  },
  JavaScript: {
    files: { "broken.mjs": `\n\nexport const register = () => {\n  null.key;\n};\n` },
    at: "broken.mjs, line 4",
  },
  "a package": {
    files: {
      "broken/package.json": '{ "type": "module", "indusAddon": "./src/main.ts" }',
      "broken/src/main.ts": 'import { find } from "./find.ts";\nexport const register = () => find("x");\n',
      "broken/src/find.ts": `type Key = string;\n\nexport function find(key: Key): never {\n  throw new Error("no such key");\n}\n`,
    },
    at: "src/find.ts, line 4",
  },
  Python: {
    files: { "broken.py": `import os\n\ndef register(surface):\n    raise ValueError("no such key")\n` },
    at: "broken.py, line 4",
  },
};

const IN_HANDLER: Readonly<Record<string, Broken>> = {
  TypeScript: {
    files: {
      "broken.ts": `import { gate } from "induscode/addons";
interface Padding {
  readonly a: string;
}
export function register(surface: any): void {
  surface.on("input:submit", gate(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    throw new Error("no such key");
  }));
}
`,
    },
    at: "broken.ts, line 8",
  },
  Python: {
    files: {
      "broken.py": `from induscode.addons import GateHandler

def register(surface):
    async def guard(payload):
        return payload["no such key"]
    surface.on("input:submit", GateHandler(guard))
`,
    },
    at: "broken.py, line 5",
  },
};

async function placeWith({ files }: Broken) {
  const place = await createServedShared([{ text: "Done." }]);
  for (const [path, text] of Object.entries(files)) place.file(`.indus/addons/${path}`, text);
  return place;
}

describe("an error in register names its line", () => {
  it.each(rows(Object.entries(AT_REGISTER), theFirst))(
    "in %s: the check, the session and the log",
    async (_language, broken) => {
      const place = await placeWith(broken);
      const [first = ""] = Object.keys(broken.files);
      const path = `.indus/addons/${first.split("/")[0]}`;
      const check = await place.run(["addon", "check", path]);
      expect(check.stdout + check.stderr).toContain(`(${broken.at})`);
      const session = await place.run(["-p", "go", ...MODEL, "--grant", "broken"]);
      expect(session.stderr).toContain(`(${broken.at})`);
      expect(session.stdout).toBe("Done.\n"); // and nothing else is broken
      expect(logOf(place, "broken")).toContain(`(${broken.at})`);
    },
  );
});

describe("an error in a handler names its line", () => {
  it.each(rows(Object.entries(IN_HANDLER), theFirst))(
    "in %s: the session and the log, with the stack",
    async (_language, broken) => {
      const place = await placeWith(broken);
      const session = await place.run(["-p", "go", ...MODEL, "--grant", "broken"]);
      expect(session.stderr).toMatch(/project:broken failed at input:submit: .*no such key/);
      expect(session.stderr).toContain(`(${broken.at})`);
      const log = logOf(place, "broken");
      expect(log).toContain(`(${broken.at})`);
      expect(log).toMatch(/^\s+(at |File )/m);
    },
  );
});

describe("a conflict names both sides", () => {
  const addon = (body: string): string => `export function register(surface) {\n  ${body}\n}\n`;
  const tool = (name: string): string =>
    addon(`surface.addTool({ name: "${name}", description: "d", parameters: {}, run: () => "x" });`);
  const command = (name: string): string =>
    addon(`surface.addCommand("${name}", { summary: "s", run() {} });`);
  const task = addon(`surface.addTask({ id: "watch", description: "d", run() {} });`);

  it.each(
    rows<readonly [string, Readonly<Record<string, string>>, string]>(
      [
        ["a tool of indus", { a: tool("read") }, 'the tool name "read" is taken by builtin:'],
        [
          "its name in capitals",
          { a: tool("READ") },
          'the tool name "READ" is a word of permission rules, for the tool "read"',
        ],
        [
          "a tool of another addon",
          { a: tool("mine"), b: tool("mine") },
          'the tool name "mine" is taken by project:a',
        ],
        [
          "a command of another addon",
          { a: command("go"), b: command("go") },
          'the command name "/go" is taken by project:a',
        ],
        ["a task of another addon", { a: task, b: task }, 'the task name "watch" is taken by project:a'],
      ],
      theFirst,
    ),
  )("%s", async (_what, addons, told) => {
    const place = await createServedShared([{ text: "Done." }]);
    for (const [name, text] of Object.entries(addons)) place.file(`.indus/addons/${name}.mjs`, text);
    const grants = Object.keys(addons).flatMap((name) => ["--grant", name]);
    const { stderr } = await place.run(["-p", "go", ...MODEL, ...grants]);
    const loser = `project:${Object.keys(addons).at(-1)}`;
    const lines = stderr.split("\n").filter((line) => line.includes(told));
    expect(lines).toHaveLength(1); // said, and said once
    expect(lines[0]).toContain(loser);
    const { stdout } = await place.run(["addons", ...grants]);
    expect(stdout).toContain(told);
  });
});

describe("a command that throws is its feature's fault", () => {
  const THROWS = `export function register(surface) {
  surface.addCommand("boom", { summary: "s", run() { throw new Error("it broke"); } });
}
`;
  const told = "/boom of project:loud failed: the addon loud failed: it broke (loud.mjs, line 2)";

  async function place() {
    const made = await createServedShared([{ text: "Done." }]);
    made.file(".indus/addons/loud.mjs", THROWS);
    return made;
  }

  it("in -p: on standard error, with the exit code of a fault", async () => {
    const { code, stdout, stderr } = await (await place()).run(["-p", "/boom", "--grant", "loud"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(told);
  });

  it("in --json: an object of its kind, with its owner", async () => {
    const { code, stdout } = await (await place()).run(["--json", "/boom", "--grant", "loud"]);
    expect(code).toBe(1);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([{ type: "fault", kind: "command", owner: "project:loud", message: told }]);
  });

  it("in the console: one line, and the console goes on", LONG_ONLY, async () => {
    const { code, stdout } = await (await place()).run([...MODEL, "--grant", "loud"], {
      stdin: "/boom\nhello\n",
    });
    expect(code).toBe(0);
    expect(stdout.split(told)).toHaveLength(2);
    expect(stdout).toContain("Done.");
  });
});
