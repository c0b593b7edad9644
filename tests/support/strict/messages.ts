// The Messages API (Anthropic's reference: messages, tool use, extended thinking, prompt caching, vision).

import { DOCUMENT, type Issued, isBase64, type Loose, PICTURES, TOOL_NAME, unknownKey } from "./rules.ts";

const FIELDS =
  "model max_tokens messages system tools tool_choice stream thinking output_config temperature metadata stop_sequences";
const BLOCKS: Readonly<Record<string, string>> = {
  text: "type text cache_control",
  image: "type source cache_control",
  document: "type source title context citations cache_control",
  tool_use: "type id name input cache_control",
  tool_result: "type tool_use_id content is_error cache_control",
  thinking: "type thinking signature",
  redacted_thinking: "type data",
};
const BY_ROLE: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "document", "tool_result"],
  assistant: ["text", "tool_use", "thinking", "redacted_thinking"],
};
const MAX_MARKS = 4;
const MARK = /"cache_control":\{"type":"ephemeral"(?:,"ttl":"(?:5m|1h)")?\}/;

// Which models think in which way, under any name: with a token budget up to 4.5, without one from 4.7 on.
const ONLY_BUDGETS = /claude-(opus|sonnet|haiku)-4([-.][015])?(?![-.]?\d\b)([-@]|$)/;
const NO_BUDGETS = /claude-(opus-4[-.][78]|(opus|sonnet|haiku|fable)-5)/;

export function messagesRefusal(body: Loose, issued: Issued, path: string): string | undefined {
  // On Google Cloud the model is in the path, and the version in the body.
  const isVertex = path.includes(":streamRawPredict");
  const unknown = unknownKey(body, isVertex ? FIELDS.replace("model", "anthropic_version") : FIELDS);
  if (unknown !== undefined) return `${unknown}: Extra inputs are not permitted`;
  if (isVertex && body.anthropic_version !== "vertex-2023-10-16") return "anthropic_version: Field required";
  if (!isVertex && typeof body.model !== "string") return "model: Field required";
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) return "max_tokens: Field required";
  const { type, budget_tokens } = (body.thinking ?? {}) as Loose;
  if (
    type === "enabled" &&
    !(Number(budget_tokens) >= 1024 && Number(budget_tokens) < Number(body.max_tokens))
  )
    return "`max_tokens` must be greater than `thinking.budget_tokens`";
  if (body.thinking !== undefined && type !== "disabled" && body.temperature !== undefined)
    return "`temperature` may only be set to 1 when thinking is enabled";
  if (ONLY_BUDGETS.test(String(body.model)) && type === "adaptive")
    return "adaptive thinking is not supported on this model";
  if (NO_BUDGETS.test(String(body.model)) && type === "enabled")
    return '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive".';
  const messages = body.messages as readonly { readonly role: string; readonly content: readonly Loose[] }[];
  const system = (body.system ?? []) as readonly Loose[];
  const tools = (body.tools ?? []) as readonly Loose[];
  const written = JSON.stringify([system, tools, messages]);
  const marks = written.split('"cache_control":').length - 1;
  if (written.split(MARK).length - 1 < marks) return "cache_control.ttl: Input should be '5m' or '1h'";
  if (marks > MAX_MARKS)
    return `A maximum of ${MAX_MARKS} blocks with cache_control may be provided. Found ${marks}.`;
  if (system.some(({ text }) => String(text).trim() === ""))
    return "system: text content blocks must be non-empty";
  return (
    toolsRefusal(tools) ??
    turnsRefusal(messages, { issued, thinks: type === "enabled" || type === "adaptive" })
  );
}

function toolsRefusal(tools: readonly Loose[]): string | undefined {
  const names = new Set<unknown>();
  for (const [at, tool] of tools.entries()) {
    const unknown = unknownKey(tool, "name description input_schema cache_control");
    if (unknown !== undefined) return `tools.${at}.${unknown}: Extra inputs are not permitted`;
    if (!TOOL_NAME.test(String(tool.name))) return `tools.${at}.name: String should match pattern`;
    if ((tool.input_schema as Loose | undefined)?.type !== "object")
      return `tools.${at}.input_schema.type: Field required`;
    if (["oneOf", "allOf", "anyOf"].some((key) => key in (tool.input_schema as Loose)))
      return `tools.${at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
    if (names.has(tool.name)) return "tools: Tool names must be unique.";
    names.add(tool.name);
  }
  return undefined;
}

function turnsRefusal(
  messages: readonly { readonly role: string; readonly content: readonly Loose[] }[],
  { issued, thinks }: { readonly issued: Issued; readonly thinks: boolean },
): string | undefined {
  if (messages[0]?.role !== "user") return "messages: first message must use the user role";
  let open: readonly string[] = [];
  const ids = new Set<string>();
  // Thoughts must be sent back with the unfinished calls: those after the person's last message.
  const said = messages.findLastIndex(
    ({ role, content }) => role === "user" && !content.some(({ type }) => type === "tool_result"),
  );
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== "user" && role !== "assistant")
      return `messages.${at}.role: Input should be 'user' or 'assistant'`;
    if (role === messages[at - 1]?.role) return `messages.${at}: roles must alternate`;
    if (content.length === 0) return `messages.${at}: all messages must have non-empty content`;
    for (const block of content) {
      const problem = blockRefusal(block, role, issued);
      if (problem !== undefined) return `messages.${at}.content: ${problem}`;
    }
    const results = content.flatMap((block) =>
      block.type === "tool_result" ? String(block.tool_use_id) : [],
    );
    if (content.slice(0, results.length).some(({ type }) => type !== "tool_result"))
      return `messages.${at}: \`tool_result\` blocks must come first`;
    const stray = results.find((id) => !open.includes(id));
    if (stray !== undefined)
      return `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`;
    if (new Set(results).size < results.length)
      return `messages.${at}: each tool_use must have a single result`;
    const missing = open.find((id) => !results.includes(id));
    if (missing !== undefined)
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks: ${missing}`;
    open = content.flatMap((block) => (block.type === "tool_use" ? String(block.id) : []));
    for (const id of open) {
      if (ids.has(id)) return `messages.${at}: \`tool_use\` ids must be unique`;
      ids.add(id);
      const proof = issued.proofOfCall.get(id);
      const isBack = content.some(({ signature }) => signature === proof);
      if (thinks && at > said && proof !== undefined && !isBack)
        return `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\``;
    }
  }
  if (open.length > 0)
    return `messages: \`tool_use\` ids were found without \`tool_result\` blocks: ${open[0]}`;
  return messages.at(-1)?.role === "assistant"
    ? "This model does not support assistant message prefill"
    : undefined;
}

function blockRefusal(block: Loose, role: string, issued: Issued): string | undefined {
  const type = String(block.type);
  if (!BY_ROLE[role]?.includes(type)) return `${type} blocks are not permitted in ${role} messages`;
  const unknown = unknownKey(block, BLOCKS[type] ?? "");
  if (unknown !== undefined) return `${unknown}: Extra inputs are not permitted`;
  switch (type) {
    case "text":
      return String(block.text).trim() === ""
        ? "text content blocks must contain non-whitespace text"
        : undefined;
    case "document":
    case "image":
      return imageRefusal(block);
    case "thinking":
      return issued.thoughts.get(String(block.signature)) === block.thinking
        ? undefined
        : "Invalid `signature` in `thinking` block";
    case "tool_use":
      return /^[a-zA-Z0-9_-]+$/.test(String(block.id))
        ? undefined
        : "tool_use.id: String should match pattern";
    case "tool_result": {
      if (typeof block.content === "string") return undefined;
      const inner = block.content as readonly Loose[];
      const wrong = inner.find(({ type: each }) => !["text", "image", "document"].includes(String(each)));
      return wrong
        ? `tool_result.content: ${String(wrong.type)} is not permitted`
        : inner.map((each) => blockRefusal(each, "user", issued)).find((each) => each !== undefined);
    }
  }
  return undefined;
}

function imageRefusal({ type: kind, source }: Loose): string | undefined {
  const { type, media_type, data } = source as Loose;
  const types = kind === "document" ? [DOCUMENT] : PICTURES;
  if (type !== "base64" || !types.includes(String(media_type)))
    return "image.source.media_type: Input should be 'image/jpeg'…";
  return isBase64(data) ? undefined : "image.source.base64: invalid base64 data";
}
