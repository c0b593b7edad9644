// The floor for a wire: the least that calling a model on it takes, written as plainly as possible. Sends a task with the five tools
// of floor.mjs, joins the pieces of the answer, stores both in a JSONL file and prints the answer.
// node floor-wires.mjs WIRE BASE_URL "task"      FLOOR_LOG (the JSONL file) from the environment
import { appendFileSync } from "node:fs";

const [wire, base, task] = process.argv.slice(2);
const tool = (name, description, ...fields) => ({
  name,
  description,
  schema: {
    type: "object",
    properties: Object.fromEntries(fields.map((key) => [key, { type: "string" }])),
    required: fields,
  },
});
const tools = [
  tool("read", "Read a text file.", "path"),
  tool("ls", "List a folder.", "path"),
  tool("grep", "Search files for a pattern.", "pattern", "path"),
  tool("edit", "Replace one snippet of a file.", "path", "oldText", "newText"),
  tool("bash", "Run a shell command.", "command"),
];
const functions = tools.map(({ name, description, schema }) => ({ name, description, parameters: schema }));

const wires = {
  messages: {
    path: "/v1/messages",
    headers: { "x-api-key": "bench-key", "anthropic-version": "2023-06-01" },
    body: {
      model: "bench",
      max_tokens: 8192,
      stream: true,
      tools: tools.map(({ schema, ...rest }) => ({ ...rest, input_schema: schema })),
      messages: [{ role: "user", content: task }],
    },
    text: (data) => data.delta?.text,
  },
  chat: {
    path: "/chat/completions",
    body: {
      model: "bench",
      stream: true,
      tools: functions.map((each) => ({ type: "function", function: each })),
      messages: [{ role: "user", content: task }],
    },
    text: (data) => data.choices[0]?.delta.content,
  },
  responses: {
    path: "/responses",
    body: {
      model: "bench",
      stream: true,
      store: false,
      tools: functions.map((each) => ({ type: "function", ...each })),
      input: [{ role: "user", content: task }],
    },
    text: (data) => data.delta,
  },
  gemini: {
    path: "/models/bench:streamGenerateContent?alt=sse",
    headers: { "x-goog-api-key": "bench-key" },
    body: {
      tools: [{ functionDeclarations: functions }],
      contents: [{ role: "user", parts: [{ text: task }] }],
    },
    text: (data) => data.candidates[0].content.parts[0]?.text,
  },
};

const { path, headers = { authorization: "Bearer bench-key" }, body, text } = wires[wire];
const remember = (message) => appendFileSync(process.env.FLOOR_LOG, `${JSON.stringify(message)}\n`);
remember({ role: "user", content: task });
const response = await fetch(base + path, {
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});
if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
let answer = "";
let rest = "";
for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
  const events = (rest + chunk).split("\n\n");
  rest = events.pop();
  for (const event of events) {
    const data = event.slice(event.indexOf("data: ") + 6);
    if (data !== "[DONE]") answer += text(JSON.parse(data)) ?? "";
  }
}
remember({ role: "assistant", content: answer });
console.log(answer);
