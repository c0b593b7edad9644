// `indus why`: what would be decided about a call, part by part, with the rule, the place where it stands and what would change it.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { rows, theFirst } from "../support/long-form.ts";
import { lacks } from "../support/needs.ts";
import { createServedShared } from "../support/served-workplace.ts";

const NOWHERE = "http://127.0.0.1:9";

async function why(place: Workplace, call: string, ...flags: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await place.run(["why", call, ...flags]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.split("\n").filter(Boolean);
}

describe("indus why", () => {
  it("tells each part of a line, by which rule and from where it passes or asks, and what would change it", async () => {
    const place = createSharedWorkplace(NOWHERE);
    execFileSync("git", ["init", "-q"], { cwd: place.cwd });
    place.settings({ localServers: [], permissions: { allow: ["Bash(npm run test:*)"] } });
    expect(await why(place, "bash(git status && npm run test -- -u | head; git push)")).toEqual([
      "bash(git status && npm run test -- -u | head; git push)  asks  (permission mode acceptEdits)",
      "  git status  passes: it reads only files that may be read",
      `  npm run test -- -u  passes: the rule "Bash(npm run test:*)" allows it  (${join(place.home, "settings.json")}: permissions.allow)`,
      "  head  passes: it reads only files that may be read",
      "  git push  asks: no rule allows this command",
      "  Start with --allow 'bash(git push)' or --permission-mode bypass to permit it.",
    ]);
  });

  it("names the part that a rule denies, in every mode and spelling, and the file that says so", async () => {
    const place = createSharedWorkplace(NOWHERE);
    place.file(".indus/settings.json", JSON.stringify({ permissions: { deny: ["Bash(git push:*)"] } }));
    const from = `(${join(place.cwd, ".indus/settings.json")}: permissions.deny)`;
    const [head, part] = await why(place, `bash(ls; sh -c 'g"it" push')`, "--permission-mode", "bypass");
    expect(head).toContain("is refused  (permission mode bypass)");
    expect(part).toContain(`is refused: the rule "Bash(git push:*)" denies it  ${from}`);
    expect((await why(place, "bash($X push)", "--permission-mode", "bypass"))[1]).toContain(
      'asks: the rule "Bash(git push:*)" may apply to it',
    );
  });

  it("says that a rule on a host refuses a command that goes there", async () => {
    const place = createSharedWorkplace(NOWHERE);
    const [, part] = await why(
      place,
      "bash(ls; curl https://evil.example/x)",
      "--deny",
      "WebFetch(domain:evil.example)",
    );
    expect(part).toContain(
      'curl https://evil.example/x  is refused: the rule "WebFetch(domain:evil.example)" denies it  (--deny)',
    );
  });

  it("says of a fork bomb why it is asked about, in a sandbox too, whatever is allowed", async () => {
    const place = createSharedWorkplace(NOWHERE);
    for (const flags of [
      ["--allow", "bash"],
      ["--permission-mode", "auto"],
    ])
      expect((await why(place, "bash(:(){ :|:& };:)", ...flags)).join()).toContain(
        'asks: no rule allows this command: ":" may call itself endlessly',
      );
    expect((await why(place, "bash(:(){ :|:& };:)", "--permission-mode", "bypass"))[0]).toContain("passes");
  });

  it("takes flags and every kind of call, and answers programs in JSON", async () => {
    const place = createSharedWorkplace(NOWHERE);
    expect((await why(place, "edit(src/a.ts)"))[0]).toContain("edit(src/a.ts)  passes");
    expect((await why(place, "Read(/etc/passwd)"))[0]).toContain("asks");
    expect((await why(place, "Write(.envrc)"))[1]).toContain("configures tools that run automatically");
    expect((await why(place, "WebFetch(domain:example.com)", "--allow", "webfetch(*.com)"))[1]).toContain(
      'the rule "webfetch(*.com)" allows it  (--allow)',
    );
    expect(
      (await why(place, "webfetch(https://Example.com:8443/a)", "--deny", "webfetch(example.com)"))[0],
    ).toContain("is refused");
    expect((await why(place, "bash(make)", "--permission-mode", "read-only"))[1]).toContain("read-only");
    const { stdout } = await place.run(["why", "bash(echo x > out.txt)", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "allow", rulings: [{ outcome: "allow" }] });
    expect(existsSync(join(place.cwd, "out.txt"))).toBe(false); // nothing runs
  });

  describe("says what the answers about the sandbox have to do with the call", () => {
    function answered(): { readonly place: Workplace; readonly shared: string } {
      const place = createSharedWorkplace(NOWHERE);
      const shared = join(place.cwd, "../shared");
      mkdirSync(shared);
      const answers = [
        { approval: { kind: "network", tool: "bash", host: "good.invalid" } },
        { folder: place.cwd, approval: { kind: "read", tool: "bash", place: shared, whole: true } },
        { folder: shared, approval: { kind: "network", tool: "bash", host: "elsewhere.invalid" } },
      ];
      writeFileSync(join(place.home, "permissions.json"), JSON.stringify({ version: 1, answers }));
      return { place, shared };
    }
    const reach = "  by your answers, commands in the sandbox reach good.invalid";

    it("outside of it, to what it names; a tool that is no command is not let by them", async () => {
      const { place, shared } = answered();
      const read = `  by your answers, commands in the sandbox read ${shared}`;
      const last = async (call: string): Promise<string | undefined> =>
        (await why(place, call, "--sandbox", "off")).at(-1);
      expect(await last("bash(curl -s https://good.invalid/x)")).toBe(reach);
      expect(await last("outside(cat ../shared/a.txt)")).toBe(read);
      expect(await last("read(../shared/a.txt)")).toBe(read);
      expect((await why(place, "read(../shared/a.txt)"))[0]).toContain("asks");
      expect((await why(place, "bash(make)", "--sandbox", "off")).join()).not.toContain("by your answers");
      const json = await place.run(["why", "webfetch(good.invalid)", "--json"]);
      expect(JSON.parse(json.stdout)).toMatchObject({ granted: { hosts: ["good.invalid"], folders: [] } });
    });

    it.skipIf(lacks("bubblewrap", createSandbox().strong()?.level === "bubblewrap"))(
      "in it, to every command, and to none of another folder's",
      async () => {
        const { place, shared } = answered();
        const lines = await why(place, "bash(npm test)", "--permission-mode", "auto");
        expect(lines.slice(-2)).toEqual([reach, `  by your answers, commands in the sandbox read ${shared}`]);
        const { stdout } = await place.run(["--permission-mode", "auto", "--model", "anthropic/x"], {
          stdin: "/why bash(npm test)\n",
        });
        expect(stdout).toContain(reach);
      },
    );
  });

  it("shows what the session decides: the log keeps the same parts, rules and layers, call by call", async () => {
    const command = "ls && git push; make";
    const served = await createServedShared([
      { calls: [{ name: "bash", input: { command } }] },
      { calls: [{ name: "read", input: { path: "a.txt" } }] },
      { text: "Done." },
    ]);
    served.file("a.txt", "x");
    served.file(".indus/settings.json", JSON.stringify({ permissions: { ask: ["bash(make)"] } }));
    await served.run(["-p", "go", "--model", "anthropic/x", "--allow", "bash(git push)"]);
    const { stdout } = await served.run(["why", `bash(${command})`, "--json", "--allow", "bash(git push)"]);
    const { rulings, outcome, change } = JSON.parse(stdout);
    const decided = served.entries().flatMap((entry) => (entry.type === "decision" ? [entry.decision] : []));
    expect(outcome).toBe("ask");
    expect(rulings).toMatchObject([{ what: "make", layer: "repository", rule: "bash(make)" }]);
    expect(decided[0]).toEqual({
      tool: "bash",
      callId: expect.any(String),
      outcome: "refused",
      rulings,
      change,
    });
    expect(decided[1]).toMatchObject({
      tool: "read",
      outcome: "allowed",
      rulings: [{ outcome: "allow", layer: "mode", why: "the permission mode is acceptEdits" }],
    });
    expect((await served.run(["session", "verify"])).code).toBe(0);
  });

  it.each(
    rows(
      [
        ["bash", "bash needs a command"],
        ["bash(", "accepts one call"],
        ["*", "accepts one call"],
        ["Baash(git push)", 'unknown tool "Baash"; did you mean "Bash"?'],
        ["wrote(/etc/passwd)", 'unknown tool "wrote"; did you mean "write"?'],
        ["deploy", 'no tool "deploy" here. If the tool belongs to an addon, use /why'],
        ["task(nosuch)", 'no delegate "nosuch" here\n'],
      ],
      theFirst,
    ),
  )("says how to ask: %s", async (call, told) => {
    const { code, stderr } = await createSharedWorkplace(NOWHERE).run(["why", call]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(told)]);
  });
});
