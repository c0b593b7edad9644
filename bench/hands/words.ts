// Arguments as models write them, answers as providers send them, and a person's words.

import { bash, calls, printed, rowsOf } from "./calls.ts";
import type { Situation } from "./situation.ts";

const argument = rowsOf("arguments");
const answer = rowsOf("answers");
const word = rowsOf("words");
const LINES = {
  prepare: ({ file }: { readonly file: (path: string, text: string) => string }) =>
    void file("r.txt", "one\ntwo\nthree\n"),
};
const OPENAI = { wire: "openai" } as const;

/** What a provider streams: choices with these deltas, then the end. */
const streamed = (...choices: readonly Readonly<Record<string, unknown>>[]) => ({
  frames: [
    ...choices.map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`),
    "data: [DONE]\n\n",
  ],
});
const echo = { name: "bash", arguments: '{"command":"echo hi"}' };
const half = {
  index: 0,
  id: "w",
  function: { name: "write", arguments: '{"path":"c.txt","content":"half of' },
};
const failing = calls(["edit", { path: "nope.txt", oldText: "a", newText: "b" }]);

export const WORD_ROWS: readonly Situation[] = [
  argument(
    'offset "2"',
    "line 2",
    calls(["read", { path: "r.txt", offset: "2", limit: "1" }]),
    { read: [/2\ttwo/], bytes: 1_000 },
    LINES,
  ),
  argument(
    "offset null",
    "the file",
    calls(["read", { path: "r.txt", offset: null }]),
    { read: [/1\tone/], bytes: 1_000 },
    LINES,
  ),
  argument(
    'replaceAll "true"',
    "the edit",
    calls(
      ["read", { path: "r.txt" }],
      ["edit", { path: "r.txt", oldText: "e", newText: "E", replaceAll: "true" }],
    ),
    { files: { "r.txt": "onE\ntwo\nthrEE\n" }, bytes: 2_500 },
    LINES,
  ),
  argument(
    "a list as JSON text",
    "the list",
    calls(["todo_set", { items: '[{"id":1,"text":"a","status":"Pending"}]' }]),
    { read: [/a/], bytes: 1_000 },
  ),
  argument(
    "arguments that do not exist",
    "the result, with their names",
    bash("echo hi").map((turn) => ({
      ...turn,
      calls: [{ name: "bash", input: { command: "echo hi", description: "d", timeout: 5 } }],
    })),
    { read: [/hi[\s\S]*Ignored: "description", "timeout"/], bytes: 1_000 },
  ),
  argument(
    "old_string and file_path",
    "the edit, or the right names",
    calls(["read", { path: "r.txt" }], ["edit", { path: "r.txt", old_text: "two", new_text: "2" }]),
    { files: { "r.txt": "one\n2\nthree\n" }, bytes: 2_500 },
    LINES,
  ),
  argument(
    "a tool called Read",
    "the file",
    calls(["Read", { path: "r.txt" }]),
    { read: [/1\tone/], bytes: 1_000 },
    LINES,
  ),
  argument(
    "a tool that does not exist",
    "the names of the tools that exist",
    calls(["view_file", { path: "r.txt" }]),
    { read: [/exposes no tool called "view_file"[\s\S]*\bread\b/], bytes: 1_500 },
    LINES,
  ),
  argument(
    'offset "2x"',
    "the values that the tool takes",
    calls(["read", { path: "r.txt", offset: "2x" }]),
    { read: [/offset must be integer[\s\S]*It takes \{ path: string/], bytes: 1_500 },
    LINES,
  ),

  answer(
    "no finish_reason",
    "the answer",
    [streamed({ delta: { content: "fine" } })],
    { stdout: "fine", bytes: 300 },
    OPENAI,
  ),
  answer(
    "function_call instead of tool_calls",
    "the call is made",
    [streamed({ delta: { function_call: echo } }, { delta: {}, finish_reason: "function_call" })],
    { read: [printed("hi")], stdout: "done", bytes: 700 },
    OPENAI,
  ),
  answer(
    "an answer in one piece instead of a stream",
    "the answer",
    [
      {
        trouble: {
          kind: "status",
          status: 200,
          body: JSON.stringify({
            choices: [{ index: 0, message: { role: "assistant", content: "whole" }, finish_reason: "stop" }],
          }),
        },
      },
    ],
    { stdout: "whole", bytes: 300 },
    OPENAI,
  ),
  answer(
    "<think> in the text",
    "the answer without it",
    [streamed({ delta: { content: "<think>hm</think>yes" } }, { delta: {}, finish_reason: "stop" })],
    { stdout: "yes", bytes: 300 },
    OPENAI,
  ),
  answer(
    "calls that end with stop",
    "the call is made",
    [
      streamed(
        { delta: { tool_calls: [{ index: 0, id: "c", function: echo }] } },
        { delta: {}, finish_reason: "stop" },
      ),
    ],
    { read: [printed("hi")], bytes: 700 },
    OPENAI,
  ),
  answer(
    "cut at its limit",
    "code 4",
    [streamed({ delta: { content: "half" } }, { delta: {}, finish_reason: "length" })],
    { stdout: "half", code: 4, stderr: /truncated/, bytes: 300 },
    OPENAI,
  ),
  answer(
    "stopped by a filter",
    "code 4",
    [streamed({ delta: { content: "no" } }, { delta: {}, finish_reason: "content_filter" })],
    { stdout: "no", code: 4, stderr: /refused/, bytes: 300 },
    OPENAI,
  ),
  answer(
    "cut in a call",
    "a notice why nothing is written",
    [streamed({ delta: { tool_calls: [half] } }, { delta: {}, finish_reason: "length" })],
    {
      read: [/^Your answer was cut at its output limit, in the middle of this call\./],
      files: { "c.txt": "(no such file)" },
      bytes: 1_000,
    },
    OPENAI,
  ),
  answer(
    "the same failing call for ever",
    "the end of the task at the tenth call",
    Array.from({ length: 60 }, () => failing[0] ?? {}),
    { code: 1, requests: 10, stderr: /failed 10 times with the same result/, bytes: 12_000 },
  ),

  word(
    "@file in a task",
    "the file",
    [],
    { asked: /<file path=\\"n\.txt\\">\\nthe note/, bytes: 500 },
    { task: "see @n.txt", prepare: ({ file }) => void file("n.txt", "the note") },
  ),
  word(
    "standard input that stays open",
    "the answer, and a notice that standard input sent nothing",
    [],
    { stdout: "done", stderr: /standard input sent nothing/, bytes: 300 },
    { how: { holdsStdin: true } },
  ),
  word(
    "a proxy of an unsupported protocol",
    "the protocol's name",
    [],
    { code: 1, stderr: /HTTPS_PROXY[\s\S]*socks5/, requests: 0, bytes: 300 },
    { how: { env: { HTTPS_PROXY: "socks5://127.0.0.1:1", ANTHROPIC_BASE_URL: "https://model.invalid" } } },
  ),
  word(
    "an amount like $36,000 in a command file",
    "the amount as written",
    [],
    { asked: /Budget \$36,000, \$5\.00 for a/, bytes: 300 },
    {
      task: "/spend a",
      prepare: ({ file }) => void file(".indus/commands/spend.md", "Budget $36,000, $5.00 for $1"),
    },
  ),
  word(
    "arguments of several lines",
    "each line",
    [],
    { asked: /Fix:\\ndef f\(\):\\n {4}return \\"x {2}y\\"/, bytes: 300 },
    {
      task: '/fix def f():\n    return "x  y"',
      prepare: ({ file }) => void file(".indus/commands/fix.md", "Fix:\n$ARGUMENTS"),
    },
  ),
  word(
    "@import with blanks",
    "the text",
    [],
    { asked: /the house style/, bytes: 300 },
    {
      prepare: ({ file }) => {
        file("AGENTS.md", '@import "house style.md"');
        file("house style.md", "the house style");
      },
    },
  ),
  word(
    "a command that does not exist",
    "an error before any request",
    [],
    { code: 2, stderr: /command not found outside the console: \/nope/, requests: 0, bytes: 300 },
    { task: "/nope" },
  ),
];
