// `indus_sdk`, the SDK of Python programs: its examples, and programs that meet what can go wrong.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { builtCommand } from "../support/built.ts";
import { createWorkplace, modelEnvironment, type Workplace } from "../support/indus.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { isInstalled, lacks } from "../support/needs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLES = join(ROOT, "examples/sdk");

/** What a program prints, in a folder of its own, with a model that says this. */
async function python(
  args: readonly string[],
  script: Script,
): Promise<{ place: Workplace; stdout: string }> {
  builtCommand();
  const server = await startModelServer(script);
  onTestFinished(server.close);
  const place = createWorkplace(server.url);
  place.settings({ localServers: [], model: "anthropic/scripted" });
  const env = {
    ...{ PATH: process.env.PATH, HOME: place.home, INDUS_HOME: place.home, PYTHONDONTWRITEBYTECODE: "1" },
    ...{ PYTHONPATH: join(ROOT, "packages/induscode/python"), ...modelEnvironment(server.url) },
  };
  const { stdout } = await promisify(execFile)("python3", ["-W", "error", ...args], { cwd: place.cwd, env });
  return { place, stdout };
}

const touch = { calls: [{ name: "bash", input: { command: "touch count.txt" } }] };
const SILENT = { text: "begun", trouble: { kind: "silence", after: 1 } } as const;

/** A PNG of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** `stopped` is a command that is no `indus`. */
const PREPARED = `from indus_sdk import *
import sys
def stopped(lines):
    return [sys.executable, "-c", """import json, signal, subprocess, sys, time
def hello(line):
    asked = json.loads(line)["request_id"]
    answer = dict(subtype="success", request_id=asked, response=dict(session_id="s"))
    print(json.dumps(dict(type="control_response", response=answer)), flush=True)
""" + lines]`;

describe.skipIf(lacks("python3", isInstalled("python3")))("a Python program", () => {
  it("has an answer with the first example", async () => {
    const read = { calls: [{ name: "ls", input: {} }] };
    const { stdout } = await python([join(EXAMPLES, "first.py")], [read, { text: "A project." }]);
    expect(stdout).toBe("ls {}\nA project.\n");
  });

  it("answers questions, forks, and has an answer in a form", async () => {
    const { stdout, place } = await python(
      [join(EXAMPLES, "session.py")],
      [touch, { text: "Done." }, { text: "Nothing." }, { text: '{"ready": true}' }],
    );
    expect(stdout).toBe('asked about bash: touch count.txt\nbash ok\nNothing.\n{"ready": true}\n');
    expect(place.problems()).toEqual([]);
  });

  it.each<readonly [string, string, Script, string]>([
    [
      "a task that is interrupted, and a second one",
      `with Session() as s:
    task = s.submit("wait")
    print(s.submit("more").result().fault.kind)
    s.interrupt()
    print(task.result().kind)`,
      [SILENT],
      "busy\naborted\n",
    ],
    [
      "a loop that is left, also an asynchronous one",
      `import asyncio
for event in query("go", mode="acceptEdits", pieces=True):
    if isinstance(event, Piece): break
async def main():
    async for event in query("go", pieces=True):
        if isinstance(event, Piece): return
asyncio.run(main())
print("left")`,
      [SILENT, SILENT],
      "left\n",
    ],
    [
      "nobody to ask, a no, and a function that fails",
      `def fails(question): raise ValueError("no idea")
for ask in (None, lambda question: Answer("no", "not today"), fails):
    for event in query("go", mode="ask", ask=ask):
        if isinstance(event, Outcome):
            print(event.state, "not today" in event.text, "no idea" in event.text)`,
      [touch, { text: "a" }, touch, { text: "b" }, touch, { text: "c" }],
      "refused False False\nrefused True False\nrefused False True\n",
    ],
    [
      "an answer that is none, which is a no; the last two are the twin",
      `for answer in (Answer("No"), Answer("deny"), Answer("yes"), None, "once", Answer("once"), Answer("session")):
    for event in query("go", mode="ask", ask=lambda question: answer):
        if isinstance(event, Outcome):
            print(event.state, 'the kind "once", "session" or "no"' in event.text)`,
      Array(7)
        .fill([touch, { text: "a" }])
        .flat(),
      ["refused True\n".repeat(5), "ok False\n".repeat(2)].join(""),
    ],
    [
      "options that cannot be meant",
      `for options in (dict(mode="yolo"), dict(allow="bash"), dict(allow=["bash(echo (a))"]), dict(allow=["bash ls"]), dict(resume="gone"), dict(command=["/no/indus"]), dict(command="indus"), dict(max_turns="3"), dict(max_cost=0)):
    try: query("go", **options).result()
    except Problem as problem: print(str(problem).split("\\n")[0][:24])`,
      [],
      [
        "mode takes read-only, pl",
        "allow takes a list of te",
        "'bash(echo (a))' is not ",
        "'bash ls' is not a permi",
        'session "gone" not found',
        "indus cannot be started:",
        "command takes a list: a ",
        "max_turns takes a whole ",
        "max_cost takes an amount",
        "",
      ].join("\n"),
    ],
    [
      "options that there are not, before anything is started",
      `for options in (dict(max_turn=1), dict(outputSchema={}), dict(temperature=1)):
    for begin in (lambda: Session(**options), lambda: query("go", **options)):
        try: begin()
        except Problem as problem: print(str(problem)[:62])`,
      [],
      [
        ...Array(2).fill("unknown option 'max_turn': did you mean max_turns?"),
        ...Array(2).fill("unknown option 'outputSchema': did you mean output_schema?"),
        ...Array(2).fill("unknown option 'temperature': expected one of cwd, env, model,"),
        "",
      ].join("\n"),
    ],
    [
      "a query that runs once, and has its result after a loop that was left as well",
      `task = query("go", pieces=True)
for event in task:
    if isinstance(event, Piece): break
print(task.result().kind, task.result() is task.result())
done = query("again")
print(done.result().text)
for task in (task, done):
    try: list(task)
    except Problem as problem: print(str(problem)[:17])`,
      [SILENT, { text: "fine" }],
      "aborted True\nfine\na query runs once\na query runs once\n",
    ],
    [
      "a prompt with a picture, a blank one, what cannot be meant, and a session that is closed; usage is the session's",
      `import base64
picture = Image(base64.b64decode("${PIXEL}"))
with Session() as s:
    first = s.submit(["What is this?", picture]).result()
    blank = s.submit("  ").result()
    print(first.text, blank.fault.kind, blank.session_id == s.id == first.session_id, blank.usage == first.usage != Usage())
    waiting = s.submit("wait")
    busy = s.submit("more").result()
    print(busy.fault.kind, busy.session_id == s.id, busy.usage == first.usage)
    s.interrupt()
    waiting.result()
    for wrong in (lambda: s.submit(5), lambda: s.submit([5]), lambda: s.rewind("5"), lambda: s.steer(" ")):
        try: wrong()
        except Problem as problem: print(str(problem)[-7:])
for late in (lambda: s.fork(0), lambda: s.steer("on"), lambda: s.rewind(1)):
    try: late()
    except Problem as problem: print(str(problem)[:21])
print(s.submit("go").result().fault.message[:21])`,
      [{ text: "a pixel" }, SILENT],
      [
        ...["a pixel config True True", "busy True True"],
        ...["; got 5", "; got 5", "got '5'", 'got " "'],
        ...Array(4).fill("the session is closed"),
        "",
      ].join("\n"),
    ],
    [
      "an end of the process in the middle",
      `import os, signal
with Session() as s:
    task = s.submit("wait")
    os.kill(s._process._child.pid, signal.SIGKILL)
    print(task.result().fault)
    print(s.submit("more").result().fault.kind)`,
      [SILENT],
      "Fault(kind='broken', message='indus ended (signal 9)')\nbroken\n",
    ],
    [
      "steering, a rewind that is not possible, and notices",
      `with Session(allow=["nonsense"]) as s:
    print(len(s.notices))
    s.steer("by the way")
    print(s.submit("a").result().text, s.rewind(9) != "")`,
      [{ text: "one" }],
      "1\none True\n",
    ],
    [
      "a process that reads nothing, does not end, and whose pipe is full",
      `program = stopped("""
line = sys.stdin.readline()
hello(line)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True: time.sleep(600)
""")
s = Session(command=program)
task = s.submit("x" * 1_000_000)
s.interrupt()
s.interrupt()
s.close()
print(task.result().kind, s._process._child.returncode)`,
      [],
      "aborted -9\n",
    ],
    [
      "lines that are no messages, and a message that lacks what it must have",
      `program = stopped("""
hello(sys.stdin.readline())
sys.stdin.readline()
print(5); print("[]"); print("half", flush=True)
print('{"type": "assistant"}', flush=True)
time.sleep(600)
""")
for event in Session(command=program).submit("go"):
    print(event.fault.message.split("\\n")[0] if isinstance(event, Result) else event.text)`,
      [],
      [
        ...[
          "a line that is not a message: 5",
          "a line that is not a message: []",
          "a line that is not a message: half",
        ],
        ...["indus was ended: KeyError: 'message'", ""],
      ].join("\n"),
    ],
    [
      "an end with last words, and one that leaves its pipes to another process",
      `for lines in ("print('why', file=sys.stderr); sys.exit(7)", "subprocess.Popen(['sleep', '20']); sys.exit(8)"):
    try: Session(command=stopped(lines))
    except Problem as problem: print(str(problem).replace("\\n", "|"))`,
      [],
      "indus ended (exit code 7)|why\nindus ended (exit code 8)\n",
    ],
    [
      "what is said between tasks, and while it closes",
      `program = stopped("""
hello(sys.stdin.readline())
print('{"type": "system", "subtype": "notice", "level": "info", "message": "between"}', flush=True)
print("also", file=sys.stderr, flush=True)
sys.stdin.readline()
print('{"type": "result", "end": "complete", "result": "done"}', flush=True)
sys.stdin.read()
print("closing", file=sys.stderr)
""")
events = [event.text for event in query("go", command=program)]
print(sorted(events[:2]), events[2:])`,
      [],
      "['also', 'between'] ['closing', 'done']\n",
    ],
  ])("meets %s", async (_what, program, script, prints) => {
    const { stdout } = await python(["-c", `${PREPARED}\n${program}\n`], script);
    expect(stdout).toBe(prints);
  });
});
