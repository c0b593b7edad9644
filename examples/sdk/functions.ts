// `induscode/sdk`: functions of this program's, which the model calls and which are asked before something happens.

import { type Hook, query, tool } from "induscode/sdk";

const stock: Readonly<Record<string, number>> = { apples: 3 };
const inStock = tool({
  name: "in_stock",
  description: "How many of an article are in stock.",
  input: { type: "object", properties: { article: { type: "string" } }, required: ["article"] },
  touches: [], // nothing: no question is asked about a call
  run: ({ article }) => stock[article] ?? 0,
});

const keepNotes: Hook = {
  event: "tool:before",
  kind: "gate",
  match: "bash",
  run: ({ args }) => ({
    stop: JSON.stringify(args).includes("notes.txt"),
    reason: "notes.txt stays as it is",
  }),
};

const task = query({
  prompt: "Are there apples? Write the number to count.txt, by a command.",
  mode: "ask",
  tools: [inStock],
  hooks: [keepNotes],
  ask({ tool: name, input, reason }) {
    console.log(`asked about ${name}: ${JSON.stringify(input)}`);
    return reason === "" ? { kind: "no", reason: "say why" } : { kind: "once" };
  },
});
for await (const event of task) if (event.type === "outcome") console.log(event.tool, event.state);
const result = await task.result();
console.log(result.kind === "complete" ? result.text : result.kind);
