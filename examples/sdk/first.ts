// `induscode/sdk`: one task, and its answer.

import { query } from "induscode/sdk";

for await (const event of query({ prompt: "What is this project?", mode: "read-only" })) {
  if (event.type === "text") console.log(event.text);
  if (event.type === "call") console.error(event.tool, event.input);
  if (event.type === "result" && event.kind === "faulted") console.error(event.fault.message);
}
