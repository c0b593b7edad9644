// What lets a command leave the sandbox: a rule, an answer or a mode that says so; never that it is harmless, nor what was allowed inside.

import { mkdirSync, mkdtempSync, realpathSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localFs } from "indusagi/capabilities";
import { beforeEach, describe, expect, it } from "vitest";
import type { OutsideFolder, PermissionAnswer, PermissionQuestion } from "../../feature/permission.ts";
import type { Access } from "../../feature/tool.ts";
import type { KeptAnswer } from "../contract.ts";
import type { PermissionMode } from "./modes.ts";
import { createPermissions } from "./permissions.ts";
import type { Leaving } from "./resolved-access.ts";
import { type PermissionRule, parseRule } from "./rules.ts";

const never = new AbortController().signal;
let base: string;
let root: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "indus-leaving-")));
  root = join(base, "ws");
  mkdirSync(join(root, "d"), { recursive: true });
  mkdirSync(join(base, "keys"));
  writeFileSync(join(root, "d/key"), "plain");
  writeFileSync(join(base, "keys/key"), "secret");
});

interface Given {
  readonly mode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly kept?: readonly KeptAnswer[];
  readonly answer?: (question: PermissionQuestion) => PermissionAnswer;
  readonly isPlanning?: boolean;
}

const rules = (sources: readonly string[] = []): readonly PermissionRule[] =>
  sources.map((source) => {
    const rule = parseRule(source);
    if ("problem" in rule) throw new Error(rule.problem);
    return rule;
  });

const INSIDE = { confined: true };
const LEAVES: { readonly leaving: Leaving } = { leaving: { canStay: true, beside: () => 0 } };
const NO_SANDBOX = {};

function scene({
  mode = "acceptEdits",
  allow,
  ask,
  deny,
  kept = [],
  answer,
  isPlanning = false,
}: Given = {}) {
  const questions: PermissionQuestion[] = [];
  const stored: KeptAnswer[] = [];
  let hosts: () => readonly string[] = () => [];
  let folders: () => readonly OutsideFolder[] = () => [];
  const permissions = createPermissions({
    policy: { mode, allow: rules(allow), ask: rules(ask), deny: rules(deny) },
    ...{ root, home: join(base, "home"), realPath: localFs().realPath, files: localFs() },
    kept: { answers: kept, place: "/kept", add: async (each) => void stored.push(each) },
    isPlanning: () => isPlanning,
    onGrants: (grants) => {
      hosts = grants.hosts;
      folders = grants.folders;
    },
    ask: async (question) => {
      questions.push(question);
      return answer?.(question) ?? { kind: "no" };
    },
  });
  /** `leaves`, `stays`, `asks` or `refused`; what runs where commands usually do `passes`. */
  const decide = async (
    command: string,
    place: typeof INSIDE | typeof LEAVES | typeof NO_SANDBOX,
    cwd = root,
  ): Promise<string> => {
    const isLeaving = "leaving" in place;
    const outside = isLeaving ? { outside: "it has to" } : {};
    const access: Access = { kind: "execute", command, cwd, ...outside };
    const before = questions.length;
    const decision = await permissions.check({ tool: "bash", accesses: [access], ...place }, never);
    if (decision.kind === "refuse") return questions.length > before ? "asks" : "refused";
    if (!isLeaving) return "passes";
    return decision.stays ? "stays" : "leaves";
  };
  return { decide, questions, stored, permissions, reached: () => hosts(), read: () => folders() };
}

describe("what only looks", () => {
  const LOOKS = ["cat d/key", "cd d; ls -l", "head -c 9 < d/key", "git --version", "echo hello"];

  it.each(["read-only", "acceptEdits", "auto"] as const)(
    "stays in the sandbox in the mode %s; the twin without a sandbox passes as it is",
    async (mode) => {
      const { decide } = scene({ mode });
      for (const command of LOOKS.slice(0, 3)) {
        expect([command, await decide(command, LEAVES)]).toEqual([command, "stays"]);
        expect(await decide(command, NO_SANDBOX)).toBe("passes");
      }
    },
  );

  it("stays while a plan is made, and what writes a file of the workspace stays where editing passes", async () => {
    expect(await scene({ isPlanning: true }).decide("cat d/key", LEAVES)).toBe("stays");
    expect(await scene().decide("echo x > d/authorized_keys", LEAVES)).toBe("stays");
    expect(await scene({ mode: "read-only" }).decide("echo x > d/authorized_keys", LEAVES)).toBe("refused");
  });

  it("stays under a rule about the inside as well (twin: what is not harmless asks)", async () => {
    const { decide } = scene({ allow: ["bash(git *)", "bash(cat *)"] });
    expect(await decide("cat d/key", LEAVES)).toBe("stays");
    expect(await decide("git push", LEAVES)).toBe("asks");
  });

  it("leaves where the person chose bypass, and is asked about where it cannot stay", async () => {
    expect(await scene({ mode: "bypass" }).decide("cat d/key", LEAVES)).toBe("leaves");
    const nowhere = { leaving: { canStay: false, beside: () => 0 } };
    expect(await scene().decide(`cat ${root}/d/key`, nowhere, base)).toBe("asks");
    expect(await scene().decide(`cat ${root}/d/key`, NO_SANDBOX, base)).toBe("passes"); // the twin
  });

  it("looking at nothing, it goes along with what a rule lets leave", async () => {
    const { decide } = scene({ allow: ["outside(npm test)"] });
    for (const command of ["npm test 2>&1 | tail -3", "cd . && npm test", "echo begin; npm test"])
      expect([command, await decide(command, LEAVES)]).toEqual([command, "leaves"]);
    for (const command of ["npm test > d/log", "npm test; cat d/key", "npm test | tail -3 d/key"])
      expect([command, await decide(command, LEAVES)]).toEqual([command, "asks"]);
  });
});

describe("what was allowed inside does not leave", () => {
  const INSIDE_RULES = ["bash(npm test)", "bash(npm *)", "Bash(npm test:*)", "bash", "*"];

  it.each(INSIDE_RULES)("under the rule %s; the twin without a sandbox passes under it", async (rule) => {
    const { decide } = scene({ allow: [rule] });
    expect(await decide("npm test", LEAVES)).toBe("asks");
    expect(await decide("npm test", INSIDE)).toBe("passes");
    expect(await decide("npm test", NO_SANDBOX)).toBe("passes");
  });

  it.each(["outside(npm test)", "outside(npm *)", "outside"])(
    "but under %s it does, and runs inside as well",
    async (rule) => {
      const { decide } = scene({ allow: [rule] });
      for (const [place, expected] of [
        [LEAVES, "leaves"],
        [INSIDE, "passes"],
        [NO_SANDBOX, "passes"],
      ] as const)
        expect(await decide("npm test", place)).toBe(expected);
      expect(await decide("make", rule === "outside" ? LEAVES : INSIDE)).toBe(
        rule === "outside" ? "leaves" : "asks",
      );
    },
  );

  it("by an answer for the session: one about inside covers inside, one about outside both", async () => {
    const inside = scene({ answer: () => ({ kind: "session" }) });
    await inside.decide("npm test", INSIDE);
    await inside.decide("npm test", LEAVES);
    expect(inside.questions.map(({ sessionRule }) => sessionRule)).toEqual([
      "bash(npm test)",
      "bash(npm test) outside of the sandbox",
    ]);
    expect(await inside.decide("npm test", LEAVES)).toBe("leaves");
    expect(await inside.decide("npm test", INSIDE)).toBe("passes");
    expect(inside.questions).toHaveLength(2);
  });

  it("by a kept answer: it says whether it covers leaving, and those of before do not", async () => {
    const keep = (pattern?: string): Given => ({
      answer: () => ({ kind: "always", where: "here", pattern: pattern || undefined }),
    });
    for (const [given, expected] of [
      [keep(), { approval: { kind: "execute", outside: true } }],
      [keep("npm test *"), { rule: "outside(npm test *)" }],
    ] as const) {
      const asked = scene(given);
      expect(await asked.decide("npm test", LEAVES)).toBe("leaves");
      expect(asked.stored).toMatchObject([expected]);
      const later = scene({ kept: asked.stored });
      expect([await later.decide("npm test", LEAVES), await later.decide("npm test", INSIDE)]).toEqual([
        "leaves",
        "passes",
      ]);
    }
    const before = [{ rule: "bash(npm test *)" }, { rule: "bash(npm test)" }];
    for (const answer of before) {
      const later = scene({ kept: [answer] });
      expect([await later.decide("npm test", LEAVES), await later.decide("npm test", INSIDE)]).toEqual([
        "asks",
        "passes",
      ]);
    }
  });
});

describe("rules that deny or ask about leaving", () => {
  it("apply to what leaves and to nothing else", async () => {
    const { decide } = scene({ mode: "bypass", deny: ["outside(git push *)"], ask: ["outside(npm *)"] });
    for (const [command, place, expected] of [
      ["git push origin", LEAVES, "refused"],
      ["sudo git push origin", LEAVES, "refused"],
      ["git push origin", INSIDE, "passes"],
      ["npm publish", LEAVES, "asks"],
      ["npm publish", INSIDE, "passes"],
      ["make", LEAVES, "leaves"],
    ] as const)
      expect([command, await decide(command, place)]).toEqual([command, expected]);
    expect(await scene({ mode: "bypass", deny: ["outside"] }).decide("make", LEAVES)).toBe("refused");
    expect(await scene({ mode: "bypass", deny: ["bash(make)"] }).decide("make", LEAVES)).toBe("refused");
  });
});

describe("a question about leaving that names one host", () => {
  const reaching = (mayReach = (_host: string) => true) => ({
    leaving: { canStay: true, beside: () => 0, mayReach },
  });
  const offered = async (command: string, place: typeof LEAVES = reaching()): Promise<unknown> => {
    const { decide, questions } = scene();
    await decide(command, place);
    expect(questions).toHaveLength(1);
    return questions[0]?.host;
  };

  it.each([
    ["curl -o out.tgz https://a.example/x", "a.example"],
    ["git clone https://person@A.example./x && npm i --registry https://a.example/", "a.example"],
    ["npm install", undefined],
    ["curl https://a.example/ https://b.example/", undefined],
    ["curl https://$host/", undefined],
    ["curl a.example", undefined],
    ["curl https://a.example:8443/", undefined],
    ["curl http://127.0.0.1/ http://[::1]/", undefined],
    ["curl http://localhost/", undefined],
    ["git push git@a.example:x", undefined],
    ["make https://a.example/", undefined],
  ])("offers it inside, where it is known for certain: %s: %s", async (command, host) => {
    expect(await offered(command)).toBe(host);
  });

  it("offers none that rules are against, and none where it cannot stay or where nothing grants one", async () => {
    const command = "curl https://a.example/";
    expect(
      await offered(
        command,
        reaching((host) => host !== "a.example"),
      ),
    ).toBeUndefined();
    expect(await offered(command, { leaving: { ...reaching().leaving, canStay: false } })).toBeUndefined();
    expect(await offered(command, LEAVES)).toBeUndefined();
  });

  it("lets it run inside with that host, which the decision says; for longer only if the answer says so", async () => {
    for (const [lasts, hosts, kept] of [
      ["once", [], []],
      ["session", ["a.example"], []],
      [
        "here",
        ["a.example"],
        [{ approval: { kind: "network", tool: "bash", host: "a.example" }, folder: root }],
      ],
    ] as const) {
      const { permissions, stored, reached } = scene({ answer: () => ({ kind: "host", lasts }) });
      const access: Access = {
        kind: "execute",
        command: "curl https://a.example/",
        cwd: root,
        outside: "it has to",
      };
      const decision = await permissions.check({ tool: "bash", accesses: [access], ...reaching() }, never);
      expect(decision).toMatchObject({ kind: "allow", stays: true, host: "a.example" });
      expect(decision.record).toMatchObject({ outcome: "allowed", answer: "host" });
      expect(decision.record?.rulings.at(-1)?.why).toContain(
        "the network to a.example; it stays in the sandbox",
      );
      expect([reached(), stored]).toEqual([hosts, kept]);
      const later = scene({ kept: stored });
      expect(later.reached()).toEqual(kept.map(() => "a.example"));
    }
  });

  it("is about nothing else: the answer lets nothing leave, and webfetch still asks (twin: an answer that it may leave)", async () => {
    const { decide, permissions, questions } = scene({ answer: () => ({ kind: "host", lasts: "session" }) });
    expect(await decide("curl https://a.example/", reaching())).toBe("stays");
    const fetches = { tool: "webfetch", accesses: [{ kind: "network", host: "a.example" }] } as const;
    expect((await permissions.check(fetches, never)).kind).toBe("refuse"); // the same answer: it offers no host
    expect(questions.map(({ tool }) => tool)).toEqual(["bash", "webfetch"]);
    const twin = scene({ answer: () => ({ kind: "once" }) });
    expect(await twin.decide("curl https://a.example/", reaching())).toBe("leaves");
  });

  it("refuses an answer with a host that was not offered", async () => {
    const { decide } = scene({ answer: () => ({ kind: "host", lasts: "session" }) });
    expect(await decide("npm test", reaching())).toBe("asks");
  });
});

describe("a question about leaving that names one folder outside", () => {
  const reading = (judge: (path: string) => boolean = () => true) => ({
    leaving: {
      canStay: true,
      beside: () => 0,
      judge: (path: string, isWritable: boolean): OutsideFolder | undefined =>
        judge(path) ? { path, identity: "one", isWritable: isWritable ? true : undefined } : undefined,
      sees: (path: string) => path.startsWith("/usr/") || path.startsWith("/dev/"),
    },
  });
  const offered = async (command: string, place: object = reading()): Promise<string | undefined> => {
    const { decide, questions } = scene();
    await decide(command, place);
    const { readable, writable } = questions[0] ?? {};
    if (writable !== undefined) return `changing ${writable.slice(base.length)}`;
    return readable?.slice(base.length);
  };

  beforeEach(() => {
    mkdirSync(join(base, "shared/inner"), { recursive: true });
    mkdirSync(join(base, "other"));
    writeFileSync(join(base, "shared/a.txt"), "a");
    writeFileSync(join(base, "other/b.txt"), "b");
  });

  it.each([
    ["python3 check.py ../shared/a.txt", "/shared"],
    ["make -C ../shared inner", "/shared"],
    ["cd ../shared && make", "/shared"],
    ["diff -r ../shared ../shared/inner", "/shared"],
    ["wc -l < ../shared/a.txt && node /usr/x.js 2>/dev/null", "/shared"],
    ["make -C ../shared ../other/b.txt", undefined],
    ["make", undefined],
    ["make -C ../nowhere", undefined],
    ["make -C ../$x", undefined],
    ["cp -r a ../shared/", "changing /shared"],
    ["cp ../shared/a.txt .", "/shared"],
    ["cp a.txt ../shared/new/b.txt", "changing /shared"],
    ["cp -t ../shared a.txt", undefined],
    ["mv ../shared/a.txt .", "changing /shared"],
    ["mv a.txt ../shared/inner", "changing /shared/inner"],
    ["cp ../other/b.txt ../shared/", undefined],
    ["rm -r ../shared/inner", "changing /shared"],
    ["mkdir -p ../shared/x/y && touch ../shared/x/z", "changing /shared"],
    ["mkdir ../new", "changing "],
    ["echo x | tee ../shared/b.txt", "changing /shared"],
    ["sed -i s/a/b/ ../shared/a.txt", "changing /shared"],
    ["npx prettier --write ../shared", undefined],
    ["prettier --write ../shared", "changing /shared"],
    ["make > ../shared/log", "changing /shared"],
    ["echo x > ../shared/log && cat ../shared/a.txt", "changing /shared"],
    ["echo x > ../shared/inner/log; cat ../shared/a.txt", "changing /shared"],
    ["sort a.txt -o ../shared/a.txt", "changing /shared"],
    ["cd ../shared && touch a.txt", "changing /shared"],
    ["git -C ../shared commit -m 'a word'", "changing /shared"],
    ["cd ../shared && git add -A", "changing /shared"],
    ["git -C ../shared log", "/shared"],
    ["git -C ../shared add ../other/b.txt", undefined],
    ["git --git-dir ../shared add x", undefined],
    ["git clone ../shared here", undefined],
    ["git worktree add ../shared/tree", undefined],
    ["tar -xf a.tar -C ../shared", "changing /shared"],
    ["tar xzf ../shared/a.txt", "/shared"],
    ["tar czf ../shared/a.tgz d", "changing /shared"],
    ["dd if=d/key of=../shared/x", undefined],
    ["dd if=d/key ../shared/x", undefined],
    ["zip ../shared/a.zip d", undefined],
    ["node -e 1 ../shared/$x > ../shared/y", undefined],
    ["cp a.txt /usr/x", undefined],
    ["git clone https://a.example/ ../shared", undefined],
  ])(
    "offers to read or change it inside, where that is known for certain: %s: %s",
    async (command, folder) => {
      expect(await offered(command)).toBe(folder);
    },
  );

  it("offers none that the sandbox does not grant, and none where the command cannot stay", async () => {
    const command = "make -C ../shared";
    expect(
      await offered(
        command,
        reading((path) => !path.endsWith("shared")),
      ),
    ).toBeUndefined();
    expect(await offered(command, { leaving: { ...reading().leaving, canStay: false } })).toBeUndefined();
    expect(await offered(command, LEAVES)).toBeUndefined();
  });

  it("lets it run inside reading that folder, which the decision says; for longer only if the answer says so", async () => {
    const path = join(base, "shared");
    for (const [lasts, folders, kept] of [
      ["once", [], []],
      ["session", [path], []],
      [
        "here",
        [path],
        [{ approval: { kind: "read", tool: "bash", place: path, whole: true }, folder: root }],
      ],
    ] as const) {
      const { permissions, stored, read } = scene({ answer: () => ({ kind: "folder", lasts }) });
      const access: Access = {
        kind: "execute",
        command: "make -C ../shared",
        cwd: root,
        outside: "it has to",
      };
      const decision = await permissions.check({ tool: "bash", accesses: [access], ...reading() }, never);
      expect(decision).toMatchObject({ kind: "allow", stays: true, folder: { path, identity: "one" } });
      expect(decision.record?.rulings.at(-1)?.why).toContain(`to read ${path}; it stays in the sandbox`);
      expect([read(), stored]).toEqual([folders.map((each) => ({ path: each })), kept]);
      expect(scene({ kept: stored }).read()).toEqual(kept.map(() => ({ path })));
    }
  });

  it("lets it change that folder inside, which is kept as a write of commands and covers nothing outside of the sandbox", async () => {
    const path = join(base, "shared");
    const { decide, permissions, stored, questions, read } = scene({
      answer: () => ({ kind: "folder", lasts: "here" }),
    });
    const command = "touch ../shared/new";
    const access: Access = { kind: "execute", command, cwd: root, outside: "it has to" };
    const decision = await permissions.check({ tool: "bash", accesses: [access], ...reading() }, never);
    expect(decision).toMatchObject({ kind: "allow", stays: true, folder: { path, isWritable: true } });
    expect(decision.record?.rulings.at(-1)?.why).toContain(`to read and change ${path}; it stays in the`);
    expect(stored).toEqual([
      { approval: { kind: "write", tool: "bash", place: path, whole: true }, folder: root },
    ]);
    expect(read()).toEqual([{ path, isWritable: true }]);
    expect(await decide("echo x > ../shared/new", NO_SANDBOX)).toBe("asks");
    expect(await decide("cat ../shared/a.txt", NO_SANDBOX)).toBe("asks");
    const twin = scene({ kept: [{ approval: { kind: "write", tool: "edit", place: path, whole: true } }] });
    const edits = { tool: "edit", accesses: [{ kind: "write", path: join(path, "new") }] } as const;
    expect((await twin.permissions.check(edits, never)).kind).toBe("allow");
    const now = scene({ kept: stored });
    expect((await now.permissions.check(edits, never)).kind).toBe("refuse");
    expect(questions[0]?.readable).toBeUndefined();
  });

  it("is about nothing else: the answer lets nothing leave, and the tool read still asks", async () => {
    const { decide, permissions, questions } = scene({
      answer: () => ({ kind: "folder", lasts: "session" }),
    });
    expect(await decide("make -C ../shared", reading())).toBe("stays");
    const reads = { tool: "read", accesses: [{ kind: "read", path: join(base, "shared/a.txt") }] } as const;
    expect((await permissions.check(reads, never)).kind).toBe("refuse"); // the same answer: it offers no folder
    expect(questions.map(({ tool }) => tool)).toEqual(["bash", "read"]);
    expect(await scene({ answer: () => ({ kind: "once" }) }).decide("make -C ../shared", reading())).toBe(
      "leaves",
    );
  });

  it("refuses an answer with a folder that was not offered", async () => {
    const { decide } = scene({ answer: () => ({ kind: "folder", lasts: "session" }) });
    expect(await decide("npm test", reading())).toBe("asks");
  });
});

describe("a question about leaving", () => {
  it("says what runs in the sandbox meanwhile", async () => {
    const { decide, questions } = scene();
    const place = { leaving: { canStay: true, beside: () => 2 } };
    await decide("make install", place);
    await decide("make install", LEAVES);
    expect(questions[0]?.reason).toContain(
      "Meanwhile 2 commands run in the sandbox, and can change what it finds",
    );
    expect(questions[1]?.reason).not.toContain("Meanwhile");
  });

  it("is no answer for what leads elsewhere by then (twin: nothing moved)", async () => {
    const command = "make install && cat d/key";
    const swap = (): PermissionAnswer => {
      renameSync(join(root, "d"), join(root, "d0"));
      symlinkSync(join(base, "keys"), join(root, "d"));
      return { kind: "once" };
    };
    const still = scene({ answer: () => ({ kind: "once" }) });
    expect(await still.decide(command, LEAVES)).toBe("leaves");
    expect(await scene({ answer: swap }).decide(command, LEAVES)).toBe("asks");
  });

  it("names the rule that lets it leave", async () => {
    const { permissions } = scene({ allow: ["bash(npm test)"] });
    const access: Access = { kind: "execute", command: "npm test", cwd: root, outside: "it has to" };
    const { change, rulings } = await permissions.explain({ tool: "bash", accesses: [access], ...LEAVES });
    expect(change).toContain("--allow 'outside(npm test)'");
    expect(JSON.stringify(rulings)).not.toContain("it stays in the sandbox");
  });
});
