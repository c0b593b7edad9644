// The tool `bash` brings what a person would have read, through the real command: by bash, with nobody to ask, as a terminal would show
// it at the end.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { isInstalled, lacks } from "../support/needs.ts";
import { createServedShared, type ServedWorkplace } from "../support/served-workplace.ts";

interface Ran {
  /** What the model read of each command. */
  readonly texts: readonly string[];
  readonly place: ServedWorkplace;
}

/** One run in which the model starts these commands, one after the other. */
async function ran(
  commands: readonly string[],
  {
    args = ["--permission-mode", "bypass"],
    env = {},
    prepare,
  }: {
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly prepare?: (place: Workplace) => void;
  } = {},
): Promise<Ran> {
  const place = await createServedShared([
    ...commands.map((command) => ({ calls: [{ name: "bash", input: { command } }] })),
    { text: "Done." },
  ]);
  prepare?.(place);
  const { code, stderr } = await place.run(["-p", "go", "--model", "anthropic/x", ...args], { env });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return { place, texts: place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : [])) };
}

/** With a staged file. */
function repository({ cwd, file }: Workplace): void {
  file("a", "a\n");
  for (const line of ["init -q", "config user.email a@b.c", "config user.name n", "add a"])
    spawnSync("git", line.split(" "), { cwd });
}

const isConfined = createSandbox().strong() !== undefined;
/** Outside the sandbox, and inside it where there is one. */
const WAYS: readonly [string, readonly string[]][] = [
  ["outside the sandbox", ["--permission-mode", "bypass"]],
  ...(isConfined
    ? [["in the sandbox", ["--permission-mode", "bypass", "--sandbox", "workspace-write"]] as const]
    : []),
].map(([name, args]) => [name as string, args as readonly string[]]);

describe.skipIf(lacks("bash", isInstalled("bash"))).each(rows(WAYS, theFirst))(
  "a command %s",
  (_name, args) => {
    it("is run by bash, and the tool says so", async () => {
      const lines = [
        "printf 'X=1\\n' > e.sh; source ./e.sh; echo $X; [[ a == a ]] && echo yes; set -o pipefail; false | true; echo $?",
        "a=(2 3); echo {x,y} $a $'\\x41'; cat <(echo sub) <<< no; { echo err >&2; } |& cat &> f; cat f",
      ];
      const { texts, place } = await ran(lines, { args });
      expect(place.server.requests[0]?.rawBody).toContain("Run by bash -c.");
      expect(texts).toEqual([
        "stdout:\n1\nyes\n1\n\nstatus: exit code 0",
        "stdout:\nx y 2 A\nsub\nerr\n\nstatus: exit code 0",
      ]);
    });

    it(
      "asks nobody: what would open an editor or ask fails at once, and says what to do instead",
      LONG_ONLY,
      async () => {
        const own = "GIT_EDITOR='echo mine >' git commit -q; git log --format=%s";
        const rebase = "git commit -q --allow-empty -m next; git rebase -i HEAD~1; git status | head -1";
        const configured = "env -u GIT_EDITOR git -c core.editor=vi commit --allow-empty; echo rc=$?";
        const inScript = "printf 'vi a\\necho then $?' > s; sh s";
        const edits = [
          "vi a",
          inScript,
          configured,
          "printf ':wq!\\n' | vi a; echo piped",
          "vi -c wq a; echo does",
        ];
        const asks = ["python3 -c 'input()'", "read x < /dev/tty", "top", "ex a; echo ended", ...edits];
        const env = { EDITOR: "vim", TERM: "xterm-256color", GIT_PAGER: "less" };
        const { texts } = await ran(["git commit; echo rc=$?", own, rebase, ...asks], {
          args,
          env,
          prepare: repository,
        });
        const [commit, mine, rebased, python, tty, top, ex, vi, script, git, piped, does] = texts;
        expect(commit).toContain("stdout:\nrc=1\n");
        expect(commit).toContain("instead: git opened an editor: pass -m, -F or --no-edit");
        expect(mine).toBe("stdout:\nmine\n\nstatus: exit code 0");
        expect(rebased).toContain("instead: git opened an editor: ");
        expect(tty).toContain("instead: there is no terminal, and nobody to answer");
        if (isInstalled("python3")) expect(python).toContain("instead: the program asked for input");
        expect(ex).toContain("ended\n");
        if (isInstalled("vi")) {
          for (const text of [vi, script, git]) {
            expect(text).toMatch(
              /\ninstead: (?:an editor was opened: use the tool edit|git opened an editor: pass -m)/,
            );
            expect(text).toContain("An editor that waited for a person was ended.");
          }
          expect(script).toContain("then 137");
          expect(git).toContain("rc=1\n");
          expect([piped, does]).toEqual([expect.stringContaining("piped"), expect.stringContaining("does")]);
          expect(`${piped}${does}`).not.toContain("waited for a person");
        }
        expect(top).not.toContain("timed out");
      },
    );

    it("brings what a terminal shows at the end, and binary data by name", async () => {
      const lines = [
        'for i in $(seq 1 5000); do printf "\\rprogress %d%%" $i; done; echo; printf "\\033[31mred\\033[0m\\033]0;t\\007 ok\\n"',
        'printf "a\\nb\\n\\033[1A\\033[2Kc\\n" | tee kept; wc -c < kept',
        "head -c 70000 /dev/zero",
        "echo before; head -c 300000 /bin/ls; echo after",
        "head -c 300000 /bin/ls >&2",
      ];
      const { texts, place } = await ran(lines, { args });
      expect(texts.slice(0, 3)).toEqual([
        "stdout:\nprogress 5000%\nred ok\n\nstatus: exit code 0",
        "stdout:\na\nc\n14\n\nstatus: exit code 0", // the file has every byte
        "stdout:\n[binary output, 70000 bytes, not shown: zeros; to keep it, write it to a file]\n\nstatus: exit code 0",
      ]);
      expect(texts[3]).toMatch(
        /^stdout:\nbefore\n\[binary output, \d+ bytes, not shown: [^\n]+\]\nafter\n\nstatus/,
      );
      expect(texts[4]).toMatch(/^stderr:\n\[binary output, /);
      const sizes = place.server.requests.map(({ rawBody }) => rawBody.length);
      for (const [at, size] of sizes.slice(1).entries()) expect(size - (sizes[at] ?? 0)).toBeLessThan(2_000);
    });

    it("costs no more than its budget in the request, whatever it prints", async () => {
      const lines = [
        "head -c 200000 /dev/zero | tr '\\0' '\"'",
        "yes '' | head -c 200000",
        "head -c 200000 /dev/zero | tr '\\0' x; head -c 200000 /dev/zero | tr '\\0' y >&2",
      ];
      const { place } = await ran(lines, { args });
      const sizes = place.server.requests.map(({ rawBody }) => Buffer.byteLength(rawBody));
      for (const [at, size] of sizes.slice(1).entries()) expect(size - (sizes[at] ?? 0)).toBeLessThan(66_500);
    });

    it("starts without what the environment would run first; the twin, a plain bash, runs it", async () => {
      const env = { BASH_ENV: "./before.sh", "BASH_FUNC_ls%%": "() { echo function; }", SHELLOPTS: "noglob" };
      const { texts, place } = await ran(["echo *.sh; ls", "bash -c ls"], {
        args,
        env,
        prepare: ({ file }) => file("before.sh", "echo before\n"),
      });
      expect(texts).toEqual([
        "stdout:\nbefore.sh\nbefore.sh\n\nstatus: exit code 0",
        "stdout:\nbefore.sh\n\nstatus: exit code 0",
      ]);
      const plain = spawnSync("bash", ["-c", "ls"], { cwd: place.cwd, env: { ...process.env, ...env } });
      expect(`${plain.stdout}`).toBe("before\nfunction\n");
    });
  },
);

it.skipIf(lacks("bash", isInstalled("bash")))(
  "[[ ]], braces and arrays that only look pass without a question, and what bash makes of them is judged",
  async () => {
    const looks = [
      `[[ -f a && $x != b ]] && cat {a,b}; f=(a b); cat "\${f[@]}"`,
      "cat <<< 'c d' &> /dev/null && echo $'e\\tf'",
    ];
    const more = [
      "cat {a,/etc/passwd}",
      "{touch,new}",
      `f=(touch new); "\${f[@]}"`,
      "sh -c 'cat {a,b}'",
      "[[ 'x[$(touch new)]' -eq 1 ]]",
    ];
    const { texts, place } = await ran([...looks, ...more], {
      args: ["--permission-mode", "read-only", "--sandbox", "off"],
      prepare: ({ file }) => ["a", "b"].forEach((name) => void file(name, `${name}\n`)),
    });
    expect(texts.slice(0, 2)).toEqual([
      "stdout:\na\nb\na\nb\n\nstatus: exit code 0",
      "stdout:\ne\tf\n\nstatus: exit code 0",
    ]);
    for (const text of texts.slice(2)) expect(text).toContain("was not run");
    expect(existsSync(join(place.cwd, "new"))).toBe(false);
    // The twin: bash does what was refused.
    spawnSync("bash", ["-c", more[4] ?? ""], { cwd: place.cwd });
    expect(existsSync(join(place.cwd, "new"))).toBe(true);
  },
);

it("what the person starts keeps their editor and their pager", LONG_ONLY, async () => {
  const place = await createServedShared([]);
  const env = { EDITOR: "my-editor", GIT_EDITOR: "", PAGER: "my-pager", TERM: "xterm" };
  const { stdout } = await place.run(["--model", "anthropic/x"], {
    stdin: '!!echo "$EDITOR-$PAGER-$TERM-$GIT_EDITOR"\n',
    env,
  });
  expect(stdout).toContain("my-editor-my-pager-xterm-\n");
});

it("an addon's tool is read without what only a terminal obeys", LONG_ONLY, async () => {
  const place = await createServedShared([{ calls: [{ name: "paint", input: {} }] }, { text: "Done." }]);
  place.file(
    ".indus/addons/painter.ts",
    `export function register(surface) {
  surface.addTool({ name: "paint", description: "x", parameters: { type: "object", properties: {} },
    run: async () => "\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07text" });
}
`,
  );
  await place.run([
    "-p",
    "go",
    "--model",
    "anthropic/x",
    "--permission-mode",
    "bypass",
    "--grant",
    "painter",
  ]);
  expect(place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : []))).toEqual([
    "red text",
  ]);
});
