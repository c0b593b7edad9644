// A day with indus as a table of steps: what the person types, and what the screen shows when the step is over. The model is
// scripted: what it does depends on the line that the person sent last.

import type { RecordedRequest, ScriptedTurn } from "./model-server.ts";

export interface DayStep {
  readonly name: string;
  /** The keys that are typed, each group in one go; a question takes none before it was read. */
  readonly keys: readonly string[];
  /** What stands in the transcript as the line that was sent; absent: the step goes on with that of the one before. */
  readonly line?: string;
  /** The step is over when the screen, from that line on, shows this, above an empty prompt unless it leaves something open. */
  readonly shows: RegExp;
  readonly isOpen?: true;
}

const ESC = "\x1b";
const DOWN = `${ESC}[B`;
const SHIFT_TAB = `${ESC}[Z`;
const CTRL_P = "\x10";
const CTRL_U = "\x15";
const PASTED = `${ESC}[200~${Array.from({ length: 12 }, (_, at) => `at line ${at + 1} of a trace`).join("\r")}${ESC}[201~`;

export const DAY_FILES: Readonly<Record<string, string>> = {
  "README.md": "# shop\n\nPrices in, receipts out.\n",
  "src/money.mjs":
    "export function formatPrice(cents) {\n  const value = cents / 100;\n  return value + ' EUR';\n}\n",
  "src/receipt.mjs":
    "import { formatPrice } from './money.mjs';\n\nexport const receipt = (items) => items.map(formatPrice).join('\\n');\n",
};

const asks = (name: string, line: string, shows: RegExp): DayStep => ({
  ...{ name, line, keys: [`${line}\r`], shows },
  isOpen: true,
});
const sends = (name: string, line: string, shows: RegExp): DayStep => ({
  ...{ name, line, keys: [`${line}\r`], shows },
});
const answers = (name: string, keys: readonly string[], shows: RegExp): DayStep => ({ name, keys, shows });

/** In the order of a day. */
export const DAY: readonly DayStep[] = [
  sends("the keys", "?", /Ctrl\+D/),
  sends("the commands", "/help", /\/usage/),
  sends("the state of the session", "/status", /mode {5}/),
  sends("a question about the folder", "what is this?", /two files[\s\S]*— 2 turns/),
  sends("several searches in one answer", "who calls formatPrice?", /receipt calls it[\s\S]*— 2 turns/),
  asks("an edit is asked about", "pad the cents", /↑↓ Enter/),
  answers("yes, once", ["y"], /two digits[\s\S]*— 3 turns/),
  asks("a command is asked about", "run it", /↑↓ Enter/),
  answers("no question about it in this session", ["s"], /1\.50 EUR[\s\S]*— 2 turns/),
  sends("it runs again, unasked", "run it again", /1\.50 EUR[\s\S]*— 2 turns/),
  asks("a command that fails is asked about", "run a missing one", /↑↓ Enter/),
  answers("it fails", ["\r"], /exit code[\s\S]*— 2 turns/),
  { ...answers("the next permission mode", [SHIFT_TAB], /permission mode acceptEdits/), isOpen: true },
  sends("an edit that is not asked about", "name the currency", /It says so now[\s\S]*— 2 turns/),
  asks("a checklist, and a question during it", "make a release", /↑↓ Enter/),
  answers("no, something else", ["r", "only tag it\r"], /Tagged[\s\S]*— \d turns/),
  sends("the finished checklist is gone", "thanks", /Any time[\s\S]*— 1 turn/),
  sends("plan mode", "/plan", /approve a plan/),
  asks("a plan to approve", "plan the rounding", /\[\d\] No, keep planning|5\. |keep planning/),
  { ...answers("another plan is wanted", [DOWN, DOWN, "\r"], /nothing\s+to/), isOpen: true },
  { ...answers("it is told what", ["keep the type\r"], /keep planning[\s\S]*keep planning/), isOpen: true },
  answers("the plan is approved", ["\r"], /Rounded[\s\S]*— \d turns/),
  asks("a question of the model", "which currency?", /Something else/),
  answers("a choice", [DOWN, "\r"], /Dollars it is[\s\S]*— 2 turns/),
  sends("a delegate", "let the researcher look", /It found one caller[\s\S]*— \d turns/),
  sends("the provider is busy, then answers", "busy?", /Not any more[\s\S]*— 1 turn/),
  sends("a request that the provider refuses", "fail", /scripted trouble/),
  asks("a question that is left", "push it", /↑↓ Enter/),
  answers("Esc stops the task", [ESC], /stopped/),
  sends("a command of the person's own", "!echo mine", /mine/),
  answers("a long paste is folded", [PASTED], /\[pasted 12 lines\]/),
  answers("and cleared", [CTRL_U], /›/),
  {
    ...sends("what an earlier line would take back", "/rewind 3", /files only/),
    line: "/rewind 3: pad the cents (1 file)",
    isOpen: true,
  },
  answers("and stay here", ["\r"], /Nothing was changed/),
  sends("the last change is undone", "/undo", /reverted {2}src/),
  sends("and the one before it", "/undo", /Before line [23]/),
  sends("a name for the session", "/rename The price format", /now called/),
  sends("the sessions of this folder", "/sessions", /The price format/),
  sends("a command that does not exist", "/exprot", /\/export/),
  sends("a theme that is kept", "/theme dark", /theme is now dark/),
  sends("a setting", "/settings maxTurns 50", /maxTurns is now 50/),
  { ...answers("a command is looked for", [CTRL_P, "comp"], /type to search|choose/), isOpen: true },
  answers("and left", [ESC, CTRL_U], /›/),
  sends("the saved permissions", "/permissions", /saved permissions/i),
  sends("the conversation is compacted", "/compact", /Compacted/),
];

const calls = (...list: readonly (readonly [string, object])[]): ScriptedTurn => ({
  calls: list.map(([name, input]) => ({ name, input })),
});
const bash = (command: string): ScriptedTurn => calls(["bash", { command }]);
const says = (text: string): ScriptedTurn => ({ text });
const todo = (...states: readonly ("done" | "active" | "pending")[]): ScriptedTurn =>
  calls([
    "todo_set",
    {
      items: ["Bump the version", "Tag it"].map((text, at) => ({ id: String(at), text, status: states[at] })),
    },
  ]);
const edit = (oldText: string, newText: string): ScriptedTurn =>
  calls(["edit", { path: "src/money.mjs", oldText, newText }]);

const READ = calls(["read", { path: "src/money.mjs" }]);
const PLAN = calls([
  "exit_plan_mode",
  {
    plan: "## Rounding\n\n1. Round in `formatPrice`\n2. Test `0.005`\n\n```js\nreturn value.toFixed(2) + ' EUR';\n```",
  },
]);
const BUSY: ScriptedTurn = { trouble: { kind: "status", status: 529 } };

/** What the model answers to each line, call by call. */
const ANSWERS: Readonly<Record<string, readonly ScriptedTurn[]>> = {
  "what is this?": [
    calls(["read", { path: "README.md" }]),
    says(
      "A **shop** in two files:\n\n| file | what |\n|---|---|\n| `src/money.mjs` | formats |\n| `src/receipt.mjs` | joins |\n\n" +
        "```js\n// cents in, text out\nconst text = formatPrice(150);\n```",
    ),
  ],
  "who calls formatPrice?": [
    calls(
      ["grep", { pattern: "formatPrice", path: "." }],
      ["ls", { path: "src" }],
      ["read", { path: "README.md" }],
    ),
    says("Only receipt calls it."),
  ],
  "pad the cents": [
    READ,
    edit("return value + ", "return value.toFixed(2) + "),
    says("Prices have two digits now."),
  ],
  "run it": [
    bash(`node -e "import('./src/money.mjs').then((m) => console.log(m.formatPrice(150)))"`),
    says("It prints `1.50 EUR`."),
  ],
  "run it again": [
    bash(`node -e "import('./src/money.mjs').then((m) => console.log(m.formatPrice(150)))"`),
    says("Again `1.50 EUR`."),
  ],
  "run a missing one": [bash("node src/missing.mjs 2>/dev/null || exit 3"), says("There is no such file.")],
  "name the currency": [edit("' EUR'", "' euros'"), says("It says so now.")],
  "make a release": [
    todo("active", "pending"),
    bash("npm version minor"),
    todo("done", "done"),
    says("Tagged as you said."),
  ],
  thanks: [says("Any time.")],
  "plan the rounding": [READ, PLAN, PLAN, says("Rounded.")],
  "which currency?": [
    calls(["ask_user", { question: "Which currency should it be?", choices: ["Euros", "Dollars"] }]),
    says("Dollars it is."),
  ],
  "let the researcher look": [
    calls(["task", { agent: "researcher", objective: "Find the callers of formatPrice." }]),
    says("It found one caller."),
  ],
  "busy?": [BUSY, says("Not any more.")],
  fail: [{ trouble: { kind: "status", status: 400 } }],
  "push it": [bash("git push origin main"), says("Pushed.")],
};

const OF_THE_DELEGATE: readonly ScriptedTurn[] = [
  calls(["read", { path: "src/prices.mjs" }]), // there is none
  calls(["grep", { pattern: "formatPrice", path: "src" }]),
  says("One caller: src/receipt.mjs."),
];

/** The script of the day. */
export function createDayScript(): (request: RecordedRequest) => ScriptedTurn {
  const played = new Map<string, number>();
  const next = (name: string, turns: readonly ScriptedTurn[]): ScriptedTurn => {
    const at = played.get(name) ?? 0;
    played.set(name, at + 1);
    return turns[at] ?? says(`The day has no turn ${at + 1} for ${name}.`);
  };
  return ({ body, rawBody }) => {
    if (JSON.stringify(body.system).includes("You are the delegate"))
      return next("delegate", OF_THE_DELEGATE);
    if (rawBody.includes("Use these headings: Goal")) return says("Goal: prices with two digits.");
    const lines = Object.keys(ANSWERS).map(
      (line) => [line, rawBody.lastIndexOf(JSON.stringify(line))] as const,
    );
    const [line] = lines.reduce((last, each) => (each[1] > last[1] ? each : last));
    return next(line, ANSWERS[line] ?? []);
  };
}
