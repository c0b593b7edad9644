// A program of your own on the framework alone: one question about a folder, answered with tools that only read.
//   node --conditions=indus-source examples/embed/ask.ts anthropic/claude-sonnet-4-5 "What is this project?"

import { toolBox } from "indusagi/capabilities";
import { createGateway, type Message, type ModelProvider, withRetry } from "indusagi/llmgateway";
import { runLoop } from "indusagi/runtime";

export interface AskOptions {
  readonly provider: ModelProvider;
  readonly model: string;
  readonly cwd: string;
}

/** The model's last words on `question`. Rejects with the reason when there is no whole answer. */
export async function ask(question: string, { provider, model, cwd }: AskOptions): Promise<string> {
  const tools = toolBox("read-only", cwd);
  const system = `Answer the question about the folder ${cwd}. Look before you answer.`;
  const messages: Message[] = [{ role: "user", content: [{ kind: "text", text: question }] }];
  const end = await runLoop({
    tools,
    signal: AbortSignal.timeout(300_000),
    port: {
      prepareCall: async () => ({
        ok: true,
        provider,
        request: { model, system, tools: tools.descriptors(), messages, params: {} },
      }),
      onDelta: () => undefined,
      commitReply: ({ message }) => {
        messages.push(message);
        return message;
      },
      onToolStart: ({ name }) => void process.stderr.write(`${name}\n`),
      commitOutcome: ({ id, name }, { output, isError, images }) => {
        const text = typeof output === "string" ? output : JSON.stringify(output);
        messages.push({ role: "tool", callId: id, name, text, isError, ...(images && { images }) });
      },
      commitSteering: () => false,
    },
  });
  if (end.kind !== "complete") throw new Error(end.kind === "faulted" ? end.fault.message : end.kind);
  return end.message.content.map((block) => (block.kind === "text" ? block.text : "")).join("");
}

if (import.meta.main) {
  const [name = "", question = ""] = process.argv.slice(2);
  const found = createGateway({ env: process.env }).resolve(name);
  if (!found.ok) throw new Error(found.fault.message);
  const { provider, model } = found;
  const answer = await ask(question, { provider: withRetry(provider), model, cwd: process.cwd() });
  process.stdout.write(`${answer}\n`);
}
