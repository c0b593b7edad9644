// Whatever the process of an addon does while it loads, the command goes on without it: each cell runs the real command,
// with nothing else alive in its process that could keep it waiting.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { besideAddon } from "../../packages/induscode/src/addons/author/beside-addon.ts";
import type { Finished, Workplace } from "../support/indus.ts";
import { createServedWorkplace } from "../support/served-workplace.ts";

interface Broken {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  /** What is said of how it ended. */
  readonly told: RegExp;
}

const manifest = (command: string): string => `id = "broken"\n[run]\ncommand = ${command}\n`;

const BROKEN: readonly Broken[] = [
  {
    what: "TypeScript that exits while it registers",
    files: { "broken.ts": "export function register() { process.exit(3); }\n" },
    told: /exit code 3/,
  },
  {
    what: "TypeScript that kills itself while it is loaded",
    files: { "broken.ts": 'process.kill(process.pid, "SIGKILL");\nexport function register() {}\n' },
    told: /ended by SIGKILL/,
  },
  {
    what: "Python that exits while it registers",
    files: { "broken.py": "import os\n\ndef register(surface):\n    os._exit(3)\n" },
    told: /exit code 3/,
  },
  {
    what: "a program that ends at once",
    files: { "broken/manifest.toml": manifest('["true"]') },
    told: /exit code 0/,
  },
  {
    // The twin of all: what only waits for its output waits for nothing from then on.
    what: "a program that closes its output long before it ends",
    files: { "broken/manifest.toml": manifest('["sh", "-c", "exec >&- 2>&-; exec sleep 600"]') },
    told: /closed its output/,
  },
];

interface Way {
  readonly args: readonly string[];
  readonly code: number;
  /** What shows that the work was done and that the other addon takes part. */
  readonly done: (finished: Finished, place: Workplace) => void;
}

const isolated = ["--model", "anthropic/scripted", "--permission-mode", "bypass"];
const REFUSED = "Refused: bash was not run, because the good addon looked (user:watching)";

const WAYS: Readonly<Record<string, Way>> = {
  addons: {
    args: ["addons"],
    code: 0,
    done: ({ stdout }) => expect(stdout).toMatch(/^user:watching {2}enabled/m),
  },
  check: {
    args: ["addon", "check", "BROKEN"],
    code: 1,
    done: ({ stdout }) => expect(stdout).toMatch(/^1 problem$/m),
  },
  test: {
    args: ["addon", "test", "BROKEN"],
    code: 1,
    done: ({ stdout }) => expect(stdout).toContain("the addon was not loaded"),
  },
  print: {
    args: ["-p", "go", ...isolated],
    code: 0,
    done: ({ stdout }, place) => {
      expect(stdout).toBe("Done.\n");
      expect(place.entries().find(({ type }) => type === "tool")).toMatchObject({ text: REFUSED });
    },
  },
  json: {
    args: ["-p", "--json", "go", ...isolated],
    code: 0,
    done: ({ stdout }) => expect(stdout).toContain(REFUSED),
  },
};

/** In the home folder, so that every command sees them; the good one is read after the broken one. */
async function placeOf({ files }: Broken): Promise<Workplace> {
  const place = await createServedWorkplace([
    { text: "One.", calls: [{ name: "bash", input: { command: "true" } }] },
    { text: "Done." },
  ]);
  const good = '[[gate]]\nevent = "tool:before"\nreason = "the good addon looked"\n';
  write(join(place.home, "addons/watching/manifest.toml"), `id = "watching"\n${good}`);
  for (const [path, text] of Object.entries(files)) write(join(place.home, "addons", path), text);
  place.settings({ localServers: [], addons: { grant: ["broken", "watching"] } });
  return place;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

const REPLY = { message: { role: "assistant", content: [{ kind: "text", text: "Done." }] } };
const CASSETTE = `{"cassette":1,"about":"one turn"}\n${JSON.stringify({ turn: 1, reply: REPLY })}\n`;

describe.each(BROKEN)("$what", (broken) => {
  it.each(Object.entries(WAYS))("indus %s goes on, says so, and ends as it should", async (_, way) => {
    const place = await placeOf(broken);
    const [path = ""] = Object.keys(broken.files);
    const root = join(place.home, "addons", dirname(path) === "." ? path : dirname(path));
    write(besideAddon(root).cassette, CASSETTE);
    const finished = await place.run(way.args.map((word) => (word === "BROKEN" ? root : word)));
    expect(finished).toMatchObject({ code: way.code });
    way.done(finished, place);
    const told = finished.stdout + finished.stderr;
    expect(told).toMatch(broken.told);
    expect(told).toContain("broken");
  });
});
