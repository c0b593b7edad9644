// The floor: the least that a coding agent must do. One bare program, written as plainly as possible, to which every figure in
// this folder is compared. Speaks Anthropic's streaming wire; keeps its messages in a JSONL file; has five tools.
// node floor.mjs "task"      ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY and FLOOR_LOG (the JSONL file) from the environment
import { execFile } from "node:child_process";
import { appendFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";

const maxResultChars = 51_200;

const text = { type: "string" };
const tool = (name, description, ...fields) => ({
  name,
  description,
  input_schema: {
    type: "object",
    properties: Object.fromEntries(fields.map((key) => [key, text])),
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

const run = {
  read: async ({ path }) => await readFile(path, "utf8"),
  ls: async ({ path }) => (await readdir(path)).join("\n"),
  grep: ({ pattern, path }) => command("grep", ["-rn", pattern, path]),
  edit: async ({ path, oldText, newText }) => {
    const before = await readFile(path, "utf8");
    if (!before.includes(oldText)) throw new Error("oldText not found");
    await writeFile(
      path,
      before.replace(oldText, () => newText),
    );
    return "edited";
  },
  bash: (input) => command("sh", ["-c", input.command]),
};

function command(program, args) {
  return new Promise((done) => {
    execFile(program, args, { maxBuffer: 256 * 1024 * 1024 }, (error, stdout, stderr) =>
      done(stdout + stderr + (error ? `\n[${error.code}]` : "")),
    );
  });
}

async function result({ id, name, input }) {
  try {
    return {
      type: "tool_result",
      tool_use_id: id,
      content: (await run[name](input)).slice(0, maxResultChars),
    };
  } catch (error) {
    return { type: "tool_result", tool_use_id: id, content: error.message, is_error: true };
  }
}

/** One answer of the model as its content blocks. */
async function ask(messages) {
  const response = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": process.env.ANTHROPIC_API_KEY,
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify({ model: "bench", max_tokens: 8192, stream: true, tools, messages }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const blocks = [];
  const partialJson = [];
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + chunk).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const data = JSON.parse(event.slice(event.indexOf("data: ") + 6));
      if (data.type === "content_block_start") blocks[data.index] = data.content_block;
      if (data.type !== "content_block_delta") continue;
      if (data.delta.type === "text_delta") blocks[data.index].text += data.delta.text;
      else partialJson[data.index] = (partialJson[data.index] ?? "") + data.delta.partial_json;
    }
  }
  for (const [index, json] of partialJson.entries()) if (json) blocks[index].input = JSON.parse(json);
  return blocks;
}

const messages = [];
function remember(message) {
  messages.push(message);
  appendFileSync(process.env.FLOOR_LOG, `${JSON.stringify(message)}\n`);
}

remember({ role: "user", content: process.argv[2] });
for (;;) {
  const content = await ask(messages);
  remember({ role: "assistant", content });
  const calls = content.filter((block) => block.type === "tool_use");
  if (calls.length === 0) {
    console.log(content.map((block) => block.text).join(""));
    break;
  }
  remember({ role: "user", content: await Promise.all(calls.map(result)) });
}
