// Shells, commands that nobody watches, and what commands print.

import { spawnSync } from "node:child_process";
import type { Workplace } from "../../tests/support/indus.ts";
import { bash, calls, printed, rowsOf } from "./calls.ts";
import type { Situation } from "./situation.ts";

/** With a staged file and one commit. */
function repository({ cwd, file }: Workplace): void {
  file("a", "a\n");
  const git = (line: string): unknown => spawnSync("git", line.split(" "), { cwd });
  for (const line of [
    "init -q",
    "config user.email a@b.c",
    "config user.name n",
    "add a",
    "commit -qm first",
  ])
    git(line);
  file("a", "b\n");
  git("add a");
}

const shell = rowsOf("shells");
const alone = rowsOf("unattended");
const output = rowsOf("output");
const BASH = { needs: ["bash"] };
const GIT = { needs: ["git"], prepare: repository };

export const COMMAND_ROWS: readonly Situation[] = [
  shell(
    "source, [[ ]], pipefail",
    "bash's answer",
    bash(
      "printf 'X=1\\n' > e.sh; source ./e.sh; echo $X; [[ a == a ]] && echo yes; set -o pipefail; false | true; echo $?",
    ),
    { read: [printed("1\nyes\n1")], bytes: 700 },
    BASH,
  ),
  shell(
    "arrays and braces",
    "bash's answer",
    bash("a=(2 3); for n in {x,y}; do a+=($n); done; (( a[1] == 3 )) && declare -p a"),
    { read: [printed('declare -a a=([0]="2" [1]="3" [2]="x" [3]="y")')], bytes: 700 },
    BASH,
  ),
  shell(
    "<( ) and <<<",
    "bash's answer",
    bash("cat <(echo sub) - <<< here"),
    { read: [printed("sub\nhere")], bytes: 700 },
    BASH,
  ),
  shell(
    "$'…', %q, |&",
    "bash's answer",
    bash("echo $'\\x41'; printf '%q\\n' 'a b'; { echo err >&2; } |& cat"),
    { read: [printed("A\na\\ b\nerr")], bytes: 700 },
    BASH,
  ),
  shell("a here-document", "its text, unexpanded", bash("cat <<'E'\n$x `y`\nE"), {
    read: [printed("$x `y`")],
    bytes: 700,
  }),
  shell("a failing end", "the exit code", bash("echo a; exit 3"), {
    read: ["stdout:\na\n\nstatus: exit code 3"],
    bytes: 700,
  }),
  shell("a job left behind with &", "the output, at once", bash("sleep 20 & echo out"), {
    read: [printed("out")],
    bytes: 700,
    seconds: 8,
  }),
  shell("standard input", "an empty one", bash("cat; read x; echo end"), {
    read: [printed("end")],
    bytes: 700,
  }),

  alone(
    "git commit without -m",
    "git's failure, with what to do",
    bash("git commit; echo rc=$?"),
    { read: [/rc=1\n[\s\S]*\ninstead: git opened an editor: pass -m/], bytes: 1_200 },
    GIT,
  ),
  alone(
    "git rebase -i",
    "git's failure: nothing is rebased",
    bash("git commit -qm second; git rebase -i --root; git log --oneline | wc -l"),
    { read: [/\b2\n[\s\S]*instead: git opened an editor/], bytes: 1_500 },
    GIT,
  ),
  alone(
    "an editor of the line's own",
    "the commit",
    bash("GIT_EDITOR='echo mine >' git commit -q; git log -1 --format=%s"),
    { read: [printed("mine")], bytes: 700 },
    GIT,
  ),
  alone(
    "git log, which pages",
    "the log",
    bash("git log --format=%s"),
    { read: [printed("first")], bytes: 700 },
    GIT,
  ),
  alone("read x < /dev/tty", "that there is no terminal", bash("read x < /dev/tty; echo rc=$?"), {
    read: [/rc=1\n[\s\S]*instead: there is no terminal/],
    bytes: 1_000,
  }),
  alone(
    "vi FILE",
    "a notice that the editor was ended",
    bash("vi f"),
    { read: [/instead: an editor was opened: use the tool edit/], bytes: 1_500 },
    { needs: ["vi"] },
  ),
  alone(
    "an editor in a script",
    "a notice that the editor was ended, and the rest of the script's output",
    bash("printf 'vi f\\necho then\\n' > s; sh s"),
    { read: [/then\n[\s\S]*instead: an editor was opened: use the tool edit/], bytes: 1_500 },
    { needs: ["vi"] },
  ),
  alone(
    "sudo that wants a password",
    "a failure at once",
    bash("sudo -k; sudo -S -u nobody true < /dev/null; echo rc=$?"),
    { read: [/rc=\d/], bytes: 1_500 },
    { needs: ["sudo"] },
  ),
  alone(
    "ssh to nowhere",
    "ssh's failure",
    bash("ssh -p 1 127.0.0.1 true"),
    { read: [/status: exit code 255/], bytes: 1_000 },
    { needs: ["ssh"] },
  ),
  alone(
    "npm init",
    "the options to pass",
    bash("npm init"),
    { read: [/npm init asked: pass -y/], bytes: 2_500, seconds: 30 },
    { needs: ["npm"], how: { env: { npm_config_update_notifier: "false", npm_config_offline: "true" } } },
  ),
  alone(
    "python's input()",
    "a notice that nobody answers",
    bash("python3 -c 'input()'"),
    { read: [/instead: the program asked for input/], bytes: 1_200 },
    { needs: ["python3"] },
  ),

  output(
    "5,000 frames of progress",
    "the last frame",
    bash('for i in $(seq 1 5000); do printf "\\rprogress %d%%" $i; done; echo'),
    { read: [printed("progress 5000%")], bytes: 700 },
  ),
  output("colours and titles", "the words", bash('printf "\\033[31mred\\033[0m\\033]0;t\\007 ok\\n"'), {
    read: [printed("red ok")],
    bytes: 700,
  }),
  output("a spinner of backspaces", "how it ended", bash("printf 'x |'; printf '\\b/\\b-\\bok\\n'"), {
    read: [printed("x ok")],
    bytes: 700,
  }),
  output(
    "lines that are redrawn",
    "the last state",
    bash("printf 'a 1\\nb 1\\n\\033[2A\\033[Ka 2\\n\\033[Kb 2\\n'"),
    { read: [printed("a 2\nb 2")], bytes: 700 },
  ),
  output("70,000 NUL bytes", "their number", bash("echo before; head -c 70000 /dev/zero; echo after"), {
    read: [/^stdout:\nbefore\n[\s\S]*\b70000\b[\s\S]*after/],
    bytes: 1_000,
  }),
  output("a program's bytes", "that they are binary", bash('head -c 200000 "$(command -v sh)"'), {
    read: [/binary/],
    bytes: 2_000,
  }),
  output(
    "one line of 300,000",
    "both ends, and the file with the whole line",
    bash("head -c 300000 /dev/zero | tr '\\0' x"),
    {
      read: [/^stdout:\nx{1000}[\s\S]*elided[\s\S]*x{1000}\n[\s\S]*whole stdout: \S+ \(300000 bytes\)/],
      bytes: 70_000,
    },
  ),
  output("quotes that cost twice", "as much as fits a request", bash('yes \'""""""\' | head -c 200000'), {
    read: [/elided/],
    bytes: 75_000,
  }),
  output("a flood of 1 GB", "both ends", bash("yes | head -c 1000000000"), {
    read: [/elided[\s\S]*stdout, first 16777216 bytes: /],
    bytes: 70_000,
    seconds: 60,
  }),
  output(
    "a flood in the background",
    "the end of the output, when polled",
    [
      ...calls(["process", { action: "start", command: "seq 100000; echo ready > r" }]),
      ...bash("while [ ! -e r ]; do sleep .05; done"),
      ...calls(["process", { action: "poll", id: "job-1" }]),
    ],
    { read: [/Started job-1/, /exit code 0/, /bytes omitted[\s\S]*99999\n100000\n/], bytes: 45_000 },
  ),
];
