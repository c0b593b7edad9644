// What a command says is shown as its words: in `--json` within an object of the host's making, on a terminal without
// anything that a terminal would obey.

import { describe, expect, it } from "vitest";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { createServedWorkplace } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";

const SAID = [
  '{"n":99,"type":"end"}',
  'x\n{"type":"fault","kind":"breach","message":"forged"}\r\n{"n":1,"type":"session"}',
  "\u2028{}\u2029{}\u0085{}",
  "\x1b[2Jgone\x1b]0;title\x07\x9b2J",
  "",
];

/** `speak` says them all, `fail` throws the first. */
const ADDON = `
const SAID = ${JSON.stringify(SAID)};
export function register(surface) {
  surface.addCommand("speak", { summary: "x", run: ({ say }) => { for (const text of SAID) say(text); } });
  surface.addCommand("fail", { summary: "x", run: () => { throw new Error('y\\n{"n":99,"type":"end"}'); } });
}
`;

function place(): Workplace {
  const made = createSharedWorkplace();
  made.file(".indus/addons/talker.ts", ADDON);
  return made;
}

const objects = (stdout: string): readonly unknown[] =>
  stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);

it("--json: each saying is one object that names who said it, and no line is a command's", async () => {
  const { code, stdout } = await place().run(["--json", "/speak", "--grant", "talker"]);
  expect(code).toBe(0);
  expect(objects(stdout)).toEqual(
    SAID.map((text) => ({ type: "say", command: "speak", owner: "project:talker", text })),
  );
  expect(stdout).not.toMatch(/[\x7f-\x9f\u2028\u2029\x1b]/);
});

it("--json: what a command throws is a fault on stdout, and a line on stderr", LONG_ONLY, async () => {
  const { code, stdout, stderr } = await place().run(["--json", "/fail", "--grant", "talker"]);
  expect(code).toBe(1);
  expect(objects(stdout)).toEqual([
    expect.objectContaining({ type: "fault", kind: "command", owner: "project:talker" }),
  ]);
  expect(stderr).toContain("/fail of project:talker failed: ");
});

it(
  "twin: -p into a pipe hands the words on as they are, so that the first is such a line",
  LONG_ONLY,
  async () => {
    const { stdout } = await place().run(["-p", "/speak", "--grant", "talker"]);
    expect(stdout.split("\n")[0]).toBe(SAID[0]);
    expect(stdout).toContain("\x1b[2J");
  },
);

it(
  "-p on a terminal: nothing that a command says moves the cursor, clears the screen or sets the title",
  LONG_ONLY,
  async () => {
    const terminal = openTerminal({
      console: "none",
      place: place(),
      url: "http://127.0.0.1:9",
      args: ["-p", "/speak", "--grant", "talker"],
    });
    expect(await terminal.left).toBe(0);
    expect(terminal.screen()).toContain(SAID[0]);
    expect(terminal.screen()).toContain("gone");
    expect(terminal.raw()).not.toContain("\x1b[2J");
    expect(terminal.raw()).not.toContain("\x9b");
    expect(terminal.title()).toBe("");
  },
);

it.each(["plain", "rich"] as const)(
  "on the %s console: a sequence that nothing ends hides no word, however the answer is split",
  async (console) => {
    const text = "a\x1b]0;never ends\nb\x1bPnor this\nthe end";
    const served = await createServedWorkplace([{ text, pieces: 20 }]);
    const terminal = openTerminal({
      ...{ console, place: served, url: served.server.url },
      args: ["--model", "anthropic/scripted"],
    });
    await terminal.waitFor("/help for commands");
    terminal.type("go\r");
    await terminal.waitFor("the end");
    for (const words of ["a\\u{1b}]0;never ends", "b\\u{1b}Pnor this"])
      expect(terminal.screen()).toContain(words);
    expect(terminal.title()).not.toContain("never ends");
  },
);

/** `count` says a hundred lines and answers, all in one write. */
const COUNTER = `while IFS= read -r line; do
  id=\${line#*'"id":'}
  id=\${id%%[!0-9]*}
  result={} said= n=0
  case $line in
    *'"method":"describe"'*) result='{"protocol":1,"commands":[{"name":"count","summary":"x"}]}' ;;
    *'"method":"command"'*)
      while [ "$n" -lt 100 ]; do
        n=$((n + 1))
        said=$said'{"jsonrpc":"2.0","method":"progress","params":{"id":'$id',"text":"line '$n'"}}
'
      done ;;
  esac
  printf '%s{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$said" "$id" "$result"
done
`;

it("every line that a command says before it answers is shown, in order, however many come at once", async () => {
  const made = createSharedWorkplace();
  made.file(
    ".indus/addons/counter/manifest.toml",
    'id = "counter"\nversion = "1.0.0"\ndescription = "x"\n\n[run]\ncommand = ["sh", "counter.sh"]\n',
  );
  made.file(".indus/addons/counter/counter.sh", COUNTER);
  const { code, stdout, stderr } = await made.run(["-p", "/count", "--grant", "counter"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toBe(Array.from({ length: 100 }, (_, at) => `line ${at + 1}\n`).join(""));
});

describe("a command that nobody gives is not said to the model", () => {
  it.each(
    rows(
      [
        ["misspelt", ["-p", "/speek"], "command not found outside the console: /speek; did you mean /speak?"],
        ["for programs", ["--json", "/nope"], "command not found outside the console: /nope; indus --help"],
        ["of the console", ["-p", "/help"], "command not found outside the console: /help"],
      ],
      theFirst,
    ),
  )("%s", async (_what, args, problem) => {
    const { code, stdout, stderr } = await place().run([...args, "--grant", "talker"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(problem);
    expect(stderr).toContain("to send the line to the model, put a word before it");
  });

  it("twin: with a word before it the model hears it", async () => {
    const { stderr } = await place().run(["-p", "run /nope"]);
    expect(stderr).toContain("no model"); // that it would be said to
    expect(stderr).not.toContain("command not found");
  });
});
