// The Responses API: everything that `responses-server` refuses, and also: encrypted content must be sent back unchanged, with its own id.

import { responsesRefusal as plainRefusal } from "../responses-server.ts";
import { DOCUMENT, type Issued, isBase64, type Loose, PICTURES, TOOL_NAME, unknownKey } from "./rules.ts";

const ITEMS: Readonly<Record<string, string>> = {
  message: "type role content phase id status",
  reasoning: "type id summary encrypted_content",
  function_call: "type call_id name arguments id status",
  function_call_output: "type call_id output",
};
const PART_FIELDS: Readonly<Record<string, string>> = {
  input_text: "type text",
  input_image: "type image_url detail",
  input_file: "type filename file_data file_id file_url",
  output_text: "type text annotations",
};

export function responsesRefusal(body: Loose, issued: Issued): string | undefined {
  const problem = plainRefusal(body);
  if (problem !== undefined) return problem;
  const names = ((body.tools ?? []) as readonly Loose[]).map(({ name }) => String(name));
  if (names.some((name) => !TOOL_NAME.test(name)) || new Set(names).size < names.length)
    return "Invalid 'tools'.";
  const calls = new Set<string>();
  let proof: string | undefined;
  for (const [at, item] of (body.input as readonly Loose[]).entries()) {
    const type = String(item.type ?? "message");
    const unknown = unknownKey(item, ITEMS[type] ?? "");
    if (unknown !== undefined) return `Unknown parameter: 'input[${at}].${unknown}'.`;
    if (type === "reasoning") {
      proof = String(item.encrypted_content);
      const words = issued.thoughts.get(proof);
      const summary = (item.summary as readonly Loose[]).map(({ text }) => text).join("");
      if (words === undefined || words !== summary || item.id !== `rs_${proof}`)
        return `The encrypted content for item ${String(item.id)} could not be verified.`;
      continue;
    }
    if (type === "function_call") {
      const id = String(item.call_id);
      if (calls.has(id)) return `Duplicate item found with call_id ${id}.`;
      calls.add(id);
      const wanted = issued.proofOfCall.get(id);
      if (wanted !== undefined && wanted !== proof)
        return `Item of type 'function_call' was provided without its required 'reasoning' item.`;
      continue;
    }
    if (item.role !== "assistant") proof = undefined;
    const parts = type === "function_call_output" ? item.output : item.content;
    if (typeof parts === "string") continue;
    const wrong = partsRefusal(parts as readonly Loose[]);
    if (wrong !== undefined) return `input[${at}]: ${wrong}`;
  }
  return undefined;
}

function partsRefusal(parts: readonly Loose[]): string | undefined {
  if (parts.length === 0) return "empty array";
  for (const part of parts) {
    const type = String(part.type);
    const unknown = unknownKey(part, PART_FIELDS[type] ?? "");
    if (unknown !== undefined) return `Unknown parameter: '${unknown}' of ${type}.`;
    if (type === "input_file") {
      const [, kind, bytes] = /^data:([^;]+);base64,(.*)$/.exec(String(part.file_data)) ?? [];
      const isNamed = typeof part.filename === "string" && part.filename.endsWith(".pdf");
      if (kind !== DOCUMENT || !isBase64(bytes) || !isNamed) return "Invalid file data";
    }
    if (type !== "input_image") continue;
    const [, mediaType = "", data] = /^data:([^;]+);base64,(.*)$/.exec(String(part.image_url)) ?? [];
    if (!PICTURES.includes(mediaType) || !isBase64(data))
      return "The image data you provided does not represent a valid image.";
  }
  return undefined;
}
