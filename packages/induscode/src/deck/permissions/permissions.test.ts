import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FsScope, localFs } from "indusagi/capabilities";
import { beforeEach, describe, expect, it } from "vitest";
import type { PermissionAnswer, PermissionQuestion } from "../../feature/permission.ts";
import type { Access } from "../../feature/tool.ts";
import {
  createPermissions,
  permissionsOf as delegatePermissions,
  type PermissionPolicy,
  type Permissions,
} from "./permissions.ts";
import { type PermissionRule, parseRule } from "./rules.ts";

const never = new AbortController().signal;
let root: string;
let outside: string;

beforeEach(() => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-permissions-")));
  root = join(base, "ws");
  outside = join(base, "ws-evil");
  mkdirSync(join(root, "src"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "s");
});

function rule(source: string): PermissionRule {
  const parsed = parseRule(source);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed;
}

interface Given {
  readonly mode?: PermissionPolicy["mode"];
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly answers?: PermissionAnswer[];
  readonly store?: string;
  readonly offers?: Parameters<typeof createPermissions>[0]["offers"];
  readonly now?: () => PermissionPolicy["mode"];
}

function permissionsOf(given: Given) {
  const { mode = "acceptEdits", allow = [], ask = [], deny = [], answers, store, offers, now } = given;
  const questions: PermissionQuestion[] = [];
  const permissions = createPermissions({
    policy: { mode, allow: allow.map(rule), ask: ask.map(rule), deny: deny.map(rule) },
    root,
    store,
    realPath: localFs().realPath,
    ...(offers ? { offers } : {}),
    mode: now,
    ask: answers
      ? async (question) => {
          questions.push(question);
          return answers.shift() ?? { kind: "no" as const };
        }
      : undefined,
  });
  return { permissions, questions };
}

const run = (command: string, cwd = root): Access => ({ kind: "execute", command, cwd });
const write = (path: string): Access => ({ kind: "write", path });
const read = (path: string): Access => ({ kind: "read", path });

async function decide(permissions: Permissions, tool: string, access: Access): Promise<string> {
  const decision = await permissions.check({ tool, accesses: [access] }, never);
  return decision.kind === "allow" ? "allow" : decision.reason;
}

describe("ask", () => {
  const edit = (permissions: Permissions, name: string) =>
    decide(permissions, "edit", write(join(root, name)));

  it("asks about each edit, lets reading pass, and rules answer in advance (twin: acceptEdits)", async () => {
    const { permissions, questions } = permissionsOf({
      mode: "ask",
      allow: ["edit(src/**)"],
      answers: [{ kind: "once" }],
    });
    expect(await edit(permissions, "a.ts")).toBe("allow");
    expect(questions.map(({ reason }) => reason)).toEqual([
      "the permission mode is ask and edit writes a.ts",
    ]);
    expect(await edit(permissions, "b.ts")).toContain("the person said no");
    expect(await edit(permissions, "src/a.ts")).toBe("allow");
    expect(await decide(permissions, "read", read(join(root, "src/a.ts")))).toBe("allow");
    expect(await edit(permissionsOf({}).permissions, "a.ts")).toBe("allow");
  });

  it("asks about what a command writes by a redirection, too", async () => {
    const { permissions } = permissionsOf({ mode: "ask" });
    expect(await decide(permissions, "bash", run("echo x > a.txt"))).toContain("the permission mode is ask");
    expect(await decide(permissions, "bash", run("ls src"))).toBe("allow");
  });

  /** What a question offers; `answer` takes it. */
  const offered = async (
    access: Access,
    given: Given & { readonly held?: readonly string[]; readonly isConfined?: boolean },
  ) => {
    const { held = [], isConfined = false, ...rest } = given;
    let now = given.mode ?? "ask";
    const { permissions, questions } = permissionsOf({
      ...rest,
      answers: [{ kind: "mode" }],
      now: () => now,
      offers: {
        isAllowed: (mode) => !held.includes(mode),
        isConfined: async () => isConfined,
        choose: (mode) => {
          now = mode;
        },
      },
    });
    const tool = access.kind === "execute" ? "bash" : "edit";
    const outcome = await decide(permissions, tool, access);
    return [questions[0]?.mode, outcome, now];
  };

  it.each([
    ["an edit", "a.ts", {}, "acceptEdits"],
    ["an edit that a rule asks about", "a.ts", { ask: ["edit(a.ts)"] }, undefined],
    ["a protected name", ".npmrc", {}, undefined],
    ["a place outside", "../ws-evil/a", {}, undefined],
    ["an edit where the mode is held back", "a.ts", { held: ["acceptEdits", "auto"] }, undefined],
  ] as const)(
    "a question about %s offers a mode only if that would answer it",
    async (_, name, given, mode) => {
      const found = await offered(write(join(root, name)), { mode: "ask", ...given });
      expect(found).toEqual([mode, "allow", mode ?? "ask"]);
    },
  );

  it.each([
    ["in a sandbox", { isConfined: true }, "auto"],
    ["where nothing confines it", {}, undefined],
    ["where auto is held back", { isConfined: true, held: ["auto"] }, undefined],
  ] as const)("a question about a command offers auto %s: %j", async (_, given, mode) => {
    const found = await offered(run("npm test"), { mode: "acceptEdits", ...given });
    expect(found).toEqual([mode, "allow", mode ?? "acceptEdits"]);
  });
});

describe("acceptEdits, nobody to ask", () => {
  it("lets edits inside the working directory pass", async () => {
    const { permissions } = permissionsOf({});
    expect(await decide(permissions, "edit", write(join(root, "src/a.ts")))).toBe("allow");
    expect(await decide(permissions, "read", read(join(root, "src/a.ts")))).toBe("allow");
  });

  it("refuses a command and says how to permit it", async () => {
    const { permissions } = permissionsOf({});
    expect(await decide(permissions, "bash", run("npm test"))).toBe(
      "no rule allows this command, and nobody is here to ask. Start with --allow 'bash(npm test)' or --permission-mode bypass to permit it.",
    );
  });

  it("refuses a sibling folder whose name begins like the root (CVE-2025-54794); a prefix check would not", async () => {
    const { permissions } = permissionsOf({});
    const path = join(outside, "secret");
    expect(path.startsWith(root)).toBe(true); // the twin: what the naive check sees
    expect(await decide(permissions, "read", read(path))).toContain("reads outside the working directory");
  });

  it("refuses to write through a link that leads out (CVE-2025-53109); the written path looks inside", async () => {
    symlinkSync(outside, join(root, "src", "link"));
    const { permissions } = permissionsOf({});
    const path = join(root, "src", "link", "new.txt");
    expect(path.startsWith(`${root}/`)).toBe(true); // the twin
    expect(await decide(permissions, "write", write(path))).toContain("writes outside the working directory");
  });

  it("refuses to write through a dangling link", async () => {
    symlinkSync(join(outside, "not-yet"), join(root, "dangling"));
    const { permissions } = permissionsOf({});
    expect(await decide(permissions, "write", write(join(root, "dangling")))).toContain("writes outside");
  });

  it.each([
    ".git/hooks/pre-commit",
    ".indus/addons/x/manifest.toml",
    ".GIT/config",
    "a/.mcp.json",
    ".indus. /settings.json",
  ])("does not count %s as an edit: it would act by itself later (CVE-2026-25725)", async (path) => {
    const { permissions } = permissionsOf({});
    expect(await decide(permissions, "write", write(join(root, path)))).toContain(
      "configures tools that run automatically",
    );
  });
});

describe("rules", () => {
  it("allow a command by its exact words, or by words and a final star", async () => {
    const { permissions } = permissionsOf({ allow: ["bash(npm test)", "bash(git log *)"] });
    expect(await decide(permissions, "bash", run("npm  test"))).toBe("allow");
    expect(await decide(permissions, "bash", run("git log --oneline"))).toBe("allow");
    for (const other of ["npm test x", "npm test; id", "npm test\nid", "git log | sh", "git push"]) {
      expect(await decide(permissions, "bash", run(other))).toContain("no rule allows");
    }
  });

  it("do not cover the same words in another folder", async () => {
    const { permissions } = permissionsOf({ allow: ["bash(npm test)"] });
    expect(await decide(permissions, "bash", run("npm test", join(root, "src")))).toContain("no rule allows");
  });

  it("allow files by a glob on their real path only", async () => {
    symlinkSync(outside, join(root, "src", "link"));
    const { permissions } = permissionsOf({ allow: [`read(${outside}/**)`, "write(src/**)"] });
    expect(await decide(permissions, "read", read(join(outside, "secret")))).toBe("allow");
    expect(await decide(permissions, "write", write(join(root, "src/link/x")))).toContain("outside");
  });

  describe("a command with variables that may choose what runs", () => {
    const variables = [{ name: "PATH", value: "/evil", by: "project:x" }];
    const inRoot = (): Access => ({ kind: "execute", command: "npm test", cwd: root, variables });

    it("is not covered by a rule for the command (twin: without them it is)", async () => {
      const given = { allow: ["bash(npm test)"] };
      expect(await decide(permissionsOf(given).permissions, "bash", inRoot())).toBe(
        "project:x sets PATH for it, and the rules that allow it do not cover that, and nobody is here to ask. Start with --allow bash or --permission-mode bypass to permit it, or without project:x.",
      );
      expect(await decide(permissionsOf(given).permissions, "bash", run("npm test"))).toBe("allow");
      expect(await decide(permissionsOf({ allow: ["bash"] }).permissions, "bash", inRoot())).toBe("allow");
      expect(await decide(permissionsOf({ mode: "bypass" }).permissions, "bash", inRoot())).toBe("allow");
    });

    it("is asked about with them, and an answer for the session is about these values alone", async () => {
      const { permissions, questions } = permissionsOf({
        answers: [{ kind: "session" }, { kind: "no" }, { kind: "no" }],
      });
      const other = {
        ...inRoot(),
        variables: [{ name: "PATH", value: "/other", by: "project:x" }],
      } as Access;
      for (const access of [inRoot(), inRoot(), other, run("npm test")])
        await permissions.check({ tool: "bash", accesses: [access] }, never);
      expect(questions.map(({ accesses, sessionRule }) => [accesses[0], sessionRule])).toEqual([
        [inRoot(), "bash(npm test) with the same PATH"],
        [other, "bash(npm test) with the same PATH"],
        [run("npm test"), "bash(npm test)"],
      ]);
    });

    it("is what ask and deny rules are about as well", async () => {
      const given = { mode: "bypass", deny: ["bash(PATH=*)"] } as const;
      expect(await decide(permissionsOf(given).permissions, "bash", inRoot())).toBe(
        'the rule "bash(PATH=*)" denies it',
      );
      expect(await decide(permissionsOf(given).permissions, "bash", run("npm test"))).toBe("allow");
    });
  });

  it("deny beats bypass, and sees every part of a command", async () => {
    const { permissions } = permissionsOf({ mode: "bypass", deny: ["bash(rm -rf)", "read(**/secret)"] });
    expect(await decide(permissions, "bash", run("make"))).toBe("allow");
    for (const hidden of [
      "/bin/rm -rf x",
      `${"true;".repeat(60)}rm -rf x`,
      `sh -c 'rm -rf x'`,
      "sudo rm -rf x",
    ]) {
      expect(await decide(permissions, "bash", run(hidden))).toBe('the rule "bash(rm -rf)" denies it');
    }
  });

  it.each(["memory/user.md", "MEMORY/p.md.agreed", "trust.json", "permissions.json", "sessions/f/s.jsonl"])(
    "let no tool write %s of the home: not in bypass, by no rule, by no answer (the twin: outside of it)",
    async (name) => {
      const { permissions, questions } = permissionsOf({
        ...{ mode: "bypass", allow: ["write"], answers: [], store: outside },
      });
      expect(await decide(permissions, "write", write(join(outside, name)))).toContain(
        "it stores the person's answers",
      );
      expect(await decide(permissions, "write", write(join(root, name)))).toBe("allow");
      expect(questions).toEqual([]);
    },
  );

  it("ask before a tool writes what else lies in the home, in bypass too, unless a rule allows it", async () => {
    const [settings, given] = [join(outside, "settings.json"), { mode: "bypass", store: outside } as const];
    expect(await decide(permissionsOf(given).permissions, "write", write(settings))).toBe(
      `write writes ${settings}, which later sessions use, and nobody is here to ask. Start with --allow 'write(${settings})' to permit it.`,
    );
    const asked = permissionsOf({ ...given, answers: [{ kind: "once" }] });
    expect(await decide(asked.permissions, "write", write(settings))).toBe("allow");
    const ruled = permissionsOf({ ...given, allow: [`write(${settings})`] });
    expect(await decide(ruled.permissions, "write", write(settings))).toBe("allow");
    expect(await decide(permissionsOf(given).permissions, "read", read(settings))).toBe("allow");
  });

  it("deny a file under its written and its real path, whatever the case", async () => {
    symlinkSync(join(outside, "secret"), join(root, "innocent"));
    const { permissions } = permissionsOf({ mode: "bypass", deny: [`read(${outside}/**)`] });
    expect(await decide(permissions, "read", read(join(root, "innocent")))).toContain("denies it");
    expect(await decide(permissions, "read", read(join(outside, "SECRET")))).toContain("denies it");
  });

  it.each(["", "bash(", "bash()", "b ash", "bash(x) y"])("refuse to read %j as a rule", (source) => {
    expect(parseRule(source)).toHaveProperty("problem");
  });
});

describe("read-only", () => {
  it("refuses everything but reading, and asks nobody", async () => {
    const { permissions, questions } = permissionsOf({ mode: "read-only", answers: [{ kind: "once" }] });
    expect(await decide(permissions, "read", read(join(root, "src")))).toBe("allow");
    expect(await decide(permissions, "write", write(join(root, "a")))).toBe(
      "the permission mode is read-only and write would write a",
    );
    expect(await decide(permissions, "bash", run("make"))).toBe(
      "the permission mode is read-only and bash would run a command",
    );
    expect(questions).toEqual([]);
  });
});

describe("questions", () => {
  it("once means once, this session means the rule that was shown", async () => {
    const { permissions, questions } = permissionsOf({ answers: [{ kind: "once" }, { kind: "session" }] });
    expect(await decide(permissions, "bash", run("npm test"))).toBe("allow");
    expect(await decide(permissions, "bash", run("npm test"))).toBe("allow");
    expect(await decide(permissions, "bash", run("npm test"))).toBe("allow");
    expect(questions).toHaveLength(2);
    expect(questions[0]).toMatchObject({
      tool: "bash",
      accesses: [run("npm test")],
      reason: "no rule allows this command",
      sessionRule: "bash(npm test)",
    });
  });

  it("this session covers a command that no rule could understand, to the letter only", async () => {
    const { permissions, questions } = permissionsOf({ answers: [{ kind: "session" }, { kind: "no" }] });
    expect(await decide(permissions, "bash", run("a | b"))).toBe("allow");
    expect(await decide(permissions, "bash", run("a | b"))).toBe("allow");
    expect(await decide(permissions, "bash", run("a | b; c"))).toBe("the person said no");
    expect(questions).toHaveLength(2);
  });

  it("no carries the person's reason to the model", async () => {
    const { permissions } = permissionsOf({ answers: [{ kind: "no", reason: "use yarn" }] });
    expect(await decide(permissions, "bash", run("npm test"))).toBe("the person said no: use yarn");
  });

  it("come one at a time, and an answer for the session settles the ones that wait", async () => {
    const { permissions, questions } = permissionsOf({ answers: [{ kind: "session" }] });
    const decisions = await Promise.all(
      Array.from({ length: 5 }, () => decide(permissions, "bash", run("npm test"))),
    );
    expect(decisions).toEqual(Array(5).fill("allow"));
    expect(questions).toHaveLength(1);
  });

  it("are asked in bypass where an ask rule says so, and only there", async () => {
    const { permissions, questions } = permissionsOf({
      mode: "bypass",
      ask: ["bash(git push *)"],
      answers: [{ kind: "no" }],
    });
    expect(await decide(permissions, "bash", run("git status"))).toBe("allow");
    expect(await decide(permissions, "bash", run("git push origin"))).toBe("the person said no");
    expect(questions).toHaveLength(1);
  });

  it("are asked in spite of an allow rule when an ask rule says so", async () => {
    const { permissions, questions } = permissionsOf({
      allow: ["bash"],
      ask: ["bash(git push *)"],
      answers: [{ kind: "no" }],
    });
    expect(await decide(permissions, "bash", run("git push origin"))).toBe("the person said no");
    expect(questions[0]?.reason).toBe('the rule "bash(git push *)" asks first');
  });
});

describe("what a session answer covers is what was shown", () => {
  it.each([
    ["rm *", "rm -rf /root"],
    ["find . -name *", "find . -name x -delete"],
  ])("a command with a star is a command, not a pattern: %s does not allow %s", async (shown, other) => {
    const { permissions, questions } = permissionsOf({ answers: [{ kind: "session" }, { kind: "no" }] });
    expect(await decide(permissions, "bash", run(shown))).toBe("allow");
    expect(await decide(permissions, "bash", run(shown))).toBe("allow");
    expect(await decide(permissions, "bash", run(other))).toBe("the person said no");
    expect(questions).toHaveLength(2);
  });

  it("the same words in another folder are asked about again", async () => {
    const { permissions } = permissionsOf({ answers: [{ kind: "session" }, { kind: "no" }] });
    expect(await decide(permissions, "bash", run("make deploy", join(root, "src")))).toBe("allow");
    expect(await decide(permissions, "bash", run("make deploy"))).toBe("the person said no");
  });

  it("a delegate in the background asks nobody; one that is waited for does (the twin)", async () => {
    const { permissions, questions } = permissionsOf({ answers: [{ kind: "once" }] });
    const request = { tool: "bash", accesses: [run("make deploy")], delegate: "scout" };
    expect(await permissions.check({ ...request, isUnattended: true }, never)).toMatchObject({
      kind: "refuse",
      reason: expect.stringContaining("and a delegate in the background cannot ask anybody."),
    });
    expect(questions).toHaveLength(0);
    expect(await permissions.check(request, never)).toMatchObject({ kind: "allow" });
    expect(questions).toHaveLength(1);
  });

  it.each([
    ["an attended call of a delegate in the background", true, undefined, 0],
    ["a call in the background of a delegate that is waited for", false, true, 0],
    ["an attended call of a delegate that is waited for", false, undefined, 1],
  ])("%s: %s and %s ask %i questions", async (_what, delegates, requests, asked) => {
    const { permissions, questions } = permissionsOf({ answers: [{ kind: "once" }] });
    const request = { tool: "bash", accesses: [run("make deploy")], isUnattended: requests };
    await delegatePermissions("scout", permissions, delegates).check(request, never);
    expect(questions).toHaveLength(asked);
  });

  it("a folder named ** is a folder", async () => {
    const odd = join(outside, "**");
    mkdirSync(odd);
    const { permissions } = permissionsOf({ answers: [{ kind: "session" }, { kind: "no" }] });
    expect(await decide(permissions, "write", write(join(odd, "x")))).toBe("allow");
    expect(await decide(permissions, "write", write(join(outside, "secret")))).toBe("the person said no");
  });

  it("a protected file is that one file", async () => {
    const { permissions } = permissionsOf({ answers: [{ kind: "session" }, { kind: "no" }] });
    expect(await decide(permissions, "write", write(join(root, ".envrc")))).toBe("allow");
    expect(await decide(permissions, "write", write(join(root, ".envrc")))).toBe("allow");
    expect(await decide(permissions, "write", write(join(root, ".git/hooks/pre-commit")))).toBe(
      "the person said no",
    );
  });

  it("a link that moves while the question is open is refused", async () => {
    const link = join(outside, "link");
    symlinkSync(join(outside, "secret"), link);
    const permissions = createPermissions({
      policy: { mode: "acceptEdits", allow: [], ask: [], deny: [] },
      root,
      realPath: localFs().realPath,
      ask: async () => {
        unlinkSync(link);
        symlinkSync("/etc/hostname", link);
        return { kind: "once" };
      },
    });
    expect(await decide(permissions, "read", read(link))).toBe(
      "a path leads elsewhere now than when the person was asked",
    );
  });
});

describe("an ask rule is not evaded", () => {
  it.each([
    "git push origin main; true",
    "git push origin $B",
    "sudo git push x",
    "git\\\n push x",
    "/usr/bin/git push",
  ])("by %j", async (command) => {
    const { permissions } = permissionsOf({ mode: "bypass", ask: ["bash(git push *)"], answers: [] });
    expect(await decide(permissions, "bash", run(command))).toBe("the person said no");
  });
});

describe("deny rules on files", () => {
  it("mean the deed, whichever tool does it", async () => {
    const { permissions } = permissionsOf({ mode: "bypass", deny: ["read(**/.env)"] });
    for (const tool of ["read", "grep", "ls", "edit"]) {
      expect(await decide(permissions, tool, read(join(root, ".env")))).toContain("denies it");
    }
  });

  it("are a scope for tools that look below a folder", async () => {
    const scope = await filesOf({ deny: ["read(**/.env)"] }, "grep", read(root));
    expect(scope?.mayRead(join(root, "src/.env"))).toBe(false);
    expect(scope?.mayRead(join(root, "src/a.ts"))).toBe(true);
    expect(await filesOf({ mode: "bypass" }, "grep", read(root))).toBeUndefined();
    const denied = await filesOf({ mode: "bypass", deny: ["read(**/.env)"] }, "grep", read(root));
    expect([denied?.mayRead(join(root, ".env")), denied?.mayRead("/etc/hosts")]).toEqual([false, true]);
  });
});

/** Which files an allowed call may touch. */
async function filesOf(
  given: Given,
  tool: string,
  ...accesses: readonly Access[]
): Promise<FsScope | undefined> {
  const decision = await permissionsOf(given).permissions.check({ tool, accesses }, never);
  if (decision.kind !== "allow") throw new Error(decision.reason);
  return decision.files;
}

describe("a decision about a path holds for the place that is opened", () => {
  it("reading in the working directory never reaches what a path leads to by then", async () => {
    const scope = await filesOf({}, "read", read(join(root, "src/a.ts")));
    expect(scope?.mayRead(join(root, "src/a.ts"))).toBe(true);
    expect(scope?.mayRead(join(root, "src/b.ts"))).toBe(true); // no question needed for it either
    expect(scope?.mayRead(join(outside, "secret"))).toBe(false);
    expect(scope?.mayWrite(join(outside, "secret"))).toBe(false);
  });

  it("what was answered for one place outside holds for that place and no other", async () => {
    const place = join(outside, "secret");
    const scope = await filesOf({ answers: [{ kind: "once" }] }, "read", read(place));
    expect([scope?.mayRead(place), scope?.mayRead(join(outside, "other"))]).toEqual([true, false]);
    const below = await filesOf({ answers: [{ kind: "once" }] }, "ls", read(outside));
    expect(below?.mayRead(place)).toBe(true);
  });

  it("writing covers the file, its own content and the folders that it needs", async () => {
    const place = join(outside, "new/deep/file");
    const scope = await filesOf({ answers: [{ kind: "once" }] }, "write", write(place));
    expect([scope?.mayWrite(place), scope?.mayRead(place)]).toEqual([true, true]);
    expect(scope?.mayWrite(join(outside, "new"))).toBe(true);
    expect(scope?.mayWrite(join(outside, "secret"))).toBe(false);
    expect(scope?.mayWrite(join(root, ".git/hooks/pre-commit"))).toBe(false); // that needs a question
    expect(scope?.mayWrite(join(root, "src/a.ts"))).toBe(true);
  });

  it("a command and the mode bypass are bound by deny rules only", async () => {
    expect(await filesOf({ allow: ["bash(ls)"] }, "bash", run("ls"))).toBeUndefined();
    expect(await filesOf({ mode: "bypass" }, "read", read(join(outside, "secret")))).toBeUndefined();
  });
});

it("the way to allow something is quoted for a shell: what the model wrote stays an argument", async () => {
  const { permissions } = permissionsOf({});
  expect(await decide(permissions, "bash", run("make 'x'; touch pwned; make 'y'"))).toContain(
    `--allow 'bash(make '\\''x'\\''; touch pwned; make '\\''y'\\'')'`,
  );
});

it("fails closed when a path cannot be resolved", async () => {
  const permissions = createPermissions({
    policy: { mode: "acceptEdits", allow: [], ask: [], deny: [] },
    root,
    realPath: () => Promise.reject(new Error("EACCES")),
  });
  expect(await decide(permissions, "read", read(join(root, "a")))).toContain(
    "whose real path cannot be determined",
  );
});
