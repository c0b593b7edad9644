// The prompts of an MCP server, as commands: what a person types behind the name fills the prompt's arguments by their order, and the
// model gets the text.

import type { Client } from "@modelcontextprotocol/client";
import type { CommandSpec } from "../../kit/contract.ts";
import { asText, isTable, kindOf } from "../table-value.ts";
import { NO_TIMEOUT_MS, type ServerList } from "./mcp-lists.ts";
import { contentBlocks } from "./mcp-result.ts";
import { realAnswer } from "./mcp-stand-ins.ts";

interface ServerPrompt {
  readonly name: string;
  readonly spec: CommandSpec;
}

interface PromptArgument {
  readonly name: string;
  readonly isRequired: boolean;
}

const MAX_PROMPTS = 100;
const MAX_SUMMARY = 200;

/** What a server lists as its prompts, as commands; `leaveOut` hears of an entry that is no prompt. */
export function promptsOf(
  client: Client,
  { entries, cut }: ServerList,
  leaveOut: (name: string, reason: string) => void,
): readonly ServerPrompt[] {
  if (cut !== undefined) leaveOut("others", cut);
  const more = entries.length - MAX_PROMPTS;
  if (more > 0)
    leaveOut(`${more} more`, `its server has ${entries.length} prompts; the first ${MAX_PROMPTS} are used`);
  return entries.slice(0, MAX_PROMPTS).flatMap((entry, at) => {
    const { name, title, description, arguments: wanted } = isTable(entry) ? entry : {};
    if (typeof name !== "string") {
      leaveOut(`number ${at + 1} of the server`, `its name is ${kindOf(name)}, not a string`);
      return [];
    }
    const args = (Array.isArray(wanted) ? wanted : []).flatMap(readArgument);
    const about = [description, title].find((text) => typeof text === "string" && text !== "") ?? name;
    const argumentHint = args
      .map(({ name: key, isRequired }) => (isRequired ? `<${key}>` : `[${key}]`))
      .join(" ");
    const spec: CommandSpec = {
      summary: asText(about).replace(/\s+/g, " ").slice(0, MAX_SUMMARY),
      argumentHint,
      async run({ args: typed, handles, say, signal }) {
        const given = inOrder(typed, args);
        const missing = args.find((each) => each.isRequired && given[each.name] === undefined);
        if (missing) return say(`${missing.name} is missing. Usage: ${argumentHint}`);
        if (args.length === 0 && typed !== "")
          say(`${JSON.stringify(typed)} is not used: this prompt has no arguments.`);
        await handles.sendMessage(await promptText(client, name, given, signal));
      },
    };
    return [{ name, spec }];
  });
}

function readArgument(entry: unknown): readonly PromptArgument[] {
  if (!isTable(entry) || typeof entry.name !== "string") return [];
  return [{ name: entry.name, isRequired: entry.required === true }];
}

/** One word each, or one text in quotes; the last takes what is left. */
function inOrder(typed: string, args: readonly PromptArgument[]): Readonly<Record<string, string>> {
  let left = typed.trim();
  const given: [string, string][] = [];
  for (const [at, { name }] of args.entries()) {
    if (left === "") break;
    const [whole, quoted, word = ""] = /^(?:"([^"]*)"(?=\s|$)|(\S+))\s*/.exec(left) ?? [left];
    const isLast = at === args.length - 1 && whole.length < left.length;
    given.push([name, isLast ? left : (quoted ?? word)]);
    left = isLast ? "" : left.slice(whole.length);
  }
  return Object.fromEntries(given);
}

async function promptText(
  client: Client,
  name: string,
  given: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const answer = realAnswer(
    await client.request(
      { method: "prompts/get", params: { name, arguments: given } },
      { signal, timeout: NO_TIMEOUT_MS },
    ),
  );
  const messages = isTable(answer) && Array.isArray(answer.messages) ? answer.messages : [];
  const texts = messages.filter(isTable).map(({ role, content }) => {
    const text = contentBlocks(content)
      .map((block) => (block.kind === "text" ? block.text : "[a picture, which a prompt cannot show here]"))
      .join("\n");
    return role === "assistant" ? `(As the assistant:) ${text}` : text;
  });
  if (texts.length === 0) throw new Error(`the server's prompt ${name} is empty`);
  return texts.join("\n\n");
}
