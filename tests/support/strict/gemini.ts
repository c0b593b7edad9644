// The Gemini API (Google's reference: generateContent, function calling, thought signatures).

import { DOCUMENT, type Issued, isBase64, type Loose, PICTURES, TOOL_NAME, unknownKey } from "./rules.ts";

const FIELDS = "contents systemInstruction tools toolConfig generationConfig safetySettings";
const CONFIG = "maxOutputTokens temperature thinkingConfig stopSequences";
const PART = "text inlineData functionCall functionResponse thought thoughtSignature";

/** The placeholder for a signature in Google's documentation, for calls that the model did not sign. */
const UNCHECKED = "skip_thought_signature_validator";

export function geminiRefusal(body: Loose, issued: Issued, path: string): string | undefined {
  const unknown =
    unknownKey(body, FIELDS) ??
    unknownKey((body.generationConfig ?? {}) as Loose, CONFIG) ??
    unknownKey(
      ((body.generationConfig ?? {}) as { readonly thinkingConfig?: Loose }).thinkingConfig ?? {},
      "includeThoughts thinkingLevel thinkingBudget",
    );
  if (unknown !== undefined)
    return `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`;
  const declared = (
    (body.tools ?? []) as readonly { readonly functionDeclarations: readonly Loose[] }[]
  ).flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => String(name)));
  if (declared.some((name) => !TOOL_NAME.test(name))) return "Invalid function name.";
  if (new Set(declared).size < declared.length) return "Duplicate function declaration found";
  const contents = body.contents as readonly { readonly role: string; readonly parts: readonly Loose[] }[];
  if (contents.length === 0) return "contents is not specified";
  const said = contents.findLastIndex(
    ({ role, parts }) => role === "user" && !parts.some((part) => part.functionResponse),
  );
  let calls: readonly string[] = [];
  for (const [at, { role, parts }] of contents.entries()) {
    if (role !== (at % 2 === 0 ? "user" : "model"))
      return "Please ensure that multiturn requests alternate between user and model.";
    if (parts.length === 0) return `contents[${at}].parts must not be empty`;
    for (const part of parts) {
      const problem = partRefusal(part);
      if (problem !== undefined) return `contents[${at}]: ${problem}`;
    }
    const responses = parts.flatMap((part) =>
      part.functionResponse ? String((part.functionResponse as Loose).name) : [],
    );
    if (responses.join() !== calls.join())
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    const made = parts.filter((part) => part.functionCall);
    calls = made.map((part) => String((part.functionCall as Loose).name));
    if (role !== "model") continue;
    const proofs = parts.flatMap(({ thoughtSignature }) =>
      thoughtSignature === undefined ? [] : String(thoughtSignature),
    );
    if (proofs.some((proof) => proof !== UNCHECKED && !issued.thoughts.has(proof)))
      return "Thought signature is not valid.";
    const wantsProofs = /gemini-3/.test(path); // earlier models sign, but do not require it back
    if (wantsProofs && made.length > 0 && at > said && made[0]?.thoughtSignature === undefined)
      return `Function call \`${calls[0]}\` in the ${at}. content block is missing a \`thought_signature\`.`;
  }
  if (calls.length > 0)
    return "Please ensure that function call turn comes immediately before a function response turn.";
  return contents.at(-1)?.role === "model" ? "Please ensure that the last turn is the user's." : undefined;
}

function partRefusal(part: Loose): string | undefined {
  const unknown = unknownKey(part, PART);
  if (unknown !== undefined) return `Unknown name "${unknown}": Cannot find field.`;
  const kinds = ["text", "inlineData", "functionCall", "functionResponse"].filter(
    (kind) => part[kind] !== undefined,
  );
  if (kinds.length !== 1)
    return `required oneof field 'data' must have one initialized field, it has ${kinds.length}`;
  if (part.text === "" && part.thoughtSignature === undefined) return "text must not be empty";
  if (part.inlineData) return pictureRefusal(part.inlineData as Loose);
  const { name, response, parts = [] } = (part.functionResponse ?? { response: {} }) as Loose;
  if (typeof response !== "object") return `function_response.response of ${String(name)} must be a struct`;
  for (const { inlineData } of parts as readonly { readonly inlineData: Loose }[]) {
    const problem = pictureRefusal(inlineData);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function pictureRefusal({ mimeType, data }: Loose): string | undefined {
  if (![...PICTURES, DOCUMENT].includes(String(mimeType)))
    return `Unsupported MIME type: ${String(mimeType)}`;
  return isBase64(data) ? undefined : "Unable to process input image.";
}
