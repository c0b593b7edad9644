// The protocol's reference page: what an author of any language needs, and nothing that the schema or a table says.

import { protocolVersion, referenceOf } from "./typescript.mjs";

/** The text of docs/reference/addon-protocol.md. */
export function writePage(schema, { limits, events, capabilities }) {
  const { hostToAddon, addonToHost } = schema.methods;
  return `# The addon protocol, version ${protocolVersion(schema)}

Generated from [addon-protocol.schema.json](../../packages/induscode/src/addons/process/protocol/addon-protocol.schema.json) by
\`npm run protocol\`: do not edit. \`npm run conformance -- ./my-addon\` tests an addon against it.

An addon of the kind *process* is any program that speaks this protocol; the kinds *module*, *python* and *wasm* speak it
for their authors. The host starts the program, asks what it contributes, and calls that when it is needed.

## Lines

[JSON-RPC 2.0](https://www.jsonrpc.org/specification), one message per line, over the program's standard input and output.

- UTF-8, nothing else. A line ends with a line feed (U+000A); a carriage return before it is ignored, and so are empty
  lines. JSON writes a line feed inside a text as \`\\n\`, so no message holds one. U+2028 and U+2029 do not end a line.
- Standard output is the protocol's alone: whatever else is printed there ends the connection. Print for people on
  standard error; it goes to the addon's log file.
- Keys are exact: \`Method\` is not \`method\`. Unknown keys are let through, so that a newer version can add some. A key
  \`__proto__\` is dropped wherever it stands.
- \`params\` is always an object, named below; left out it counts as \`{}\`. A batch (a list of messages) is refused.
- An id is an integer or a string of at most 200 characters. Each side counts its own: request 1 of the host and request 1
  of the addon are two.
- The host writes \`jsonrpc\`, \`id\`, \`method\` and \`params\` in this order and without blanks, the parameters in the order
  of their tables below, and numbers its requests from 1: a program without a JSON parser may rely on it, if it takes
  what comes *first* (what a tool call carries may look like anything).
- A message of the addon may have the key \`during\`, the id of the host's request that it is made for: then it is asked of the
  session that made that request, also when that has ended. Without it the host takes the session of the calls under way, and
  between calls the one that the others work for; while several sessions call at once (delegates), it refuses a request that
  needs one, with ${schema.errors.params.code}. The runners say it by themselves.
- Write each message with one write, or flush behind it: a message that waits in a buffer is a message that never came.

## A session

\`\`\`
host  {"jsonrpc":"2.0","id":1,"method":"describe","params":{"protocol":{"min":1,"max":1},"id":"notes","cwd":"/home/me/app","grants":[]}}
addon {"jsonrpc":"2.0","id":1,"result":{"protocol":1,"id":"notes","version":"1.0.0","handlers":[{"event":"tool:before","kind":"gate"}],"commands":[{"name":"note","summary":"Keeps a note"}]}}
host  {"jsonrpc":"2.0","id":2,"method":"event","params":{"handler":0,"event":"tool:before","payload":{"name":"bash","callId":"c_1","args":{"command":"make"}}}}
addon {"jsonrpc":"2.0","id":2,"result":{}}
host  {"jsonrpc":"2.0","id":3,"method":"command","params":{"name":"note","args":"buy milk","cwd":"/home/me/app"}}
addon {"jsonrpc":"2.0","method":"ack","params":{"id":3}}
addon {"jsonrpc":"2.0","id":1,"method":"writeFile","params":{"path":"notes.txt","text":"buy milk\\n"}}
host  {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"the grant files with write is missing"}}
addon {"jsonrpc":"2.0","method":"progress","params":{"id":3,"text":"I may not write notes.txt"}}
addon {"jsonrpc":"2.0","id":3,"result":{}}
host  {"jsonrpc":"2.0","id":4,"method":"dispose","params":{}}
addon {"jsonrpc":"2.0","id":4,"result":{}}
\`\`\`

1. **Handshake.** The first request is \`describe\`, once. If the addon's version of the protocol is not between \`min\` and
   \`max\`, it answers with the error code ${schema.errors.params.code} and a message that names the version it speaks. The answer is kept
   under a hash of the addon's files: a later session starts the program at the first event that it asked for, and sends
   \`describe\` again before anything else. So answer the same for the same files, and have no effect while you do.
2. **Calls.** Requests may come side by side and be answered in any order. What is not answered at once is acknowledged
   at once, by \`ack\`, and then has as long as the call's own deadline. An answer says it as well: a program that
   answers within ${limits.acknowledgeMs} ms never needs \`ack\`.
3. **Cancel.** \`cancel\` names a request of which nobody waits for the answer any more. Answer it all the same, with the
   error code ${schema.errors.cancelled.code} or with a result, within ${limits.cancelGraceMs} ms.
4. **The end.** After \`dispose\`, or when standard input ends, the program ends by itself within a second; what is left of
   it and of what it started is killed.

Where a result has no required field, \`null\` counts as \`{}\`.

## What the host sends

${methodTable(hostToAddon)}

## What an addon sends

A method with a result may be sent without an id as well: then it is not answered, and a refusal is only noted in the
addon's log.

${methodTable(addonToHost)}

## Error codes

| code | name | meaning |
|---|---|---|
${errorRows(schema)}

An unknown method is answered with ${schema.errors.method.code}, parameters that do not fit with ${schema.errors.params.code}; neither may end the program.

## Limits

| limit | value | |
|---|---|---|
${limitRows(limits)}

## What ends the connection

The host kills the addon's processes, reports the addon by its name, and goes on without it:

| kind | what the addon did |
|---|---|
| frame | a line that is too long, or not UTF-8 |
| json | a line that is not JSON |
| depth | a message that is nested too deep, or holds too many values |
| message | JSON that is no JSON-RPC 2.0, a batch, an answer to no open request, a second answer, an id in use twice |
| rate | more messages in a second than the limit |
| unresponsive | a request neither acknowledged nor answered in time, or input that it does not read |
| hung | a cancelled request not answered in time |
| closed | its program ended |

An error answer, or a result that does not fit its method, fails that one call.

## Events

The payloads stand in [events](events.md). A gate's \`stop\` is acted on at ${listOf(Object.keys(events).filter((name) => events[name].guards))}.

## Capabilities

What a tool or a task needs may leave out the
fields that are false, and a purpose.

${Object.entries(capabilities)
  .map(([kind, fields]) => `- \`${kind}\`${fieldWords(fields)}`)
  .join("\n")}

## Shapes

A field without *required* may be left out.

${Object.entries(schema.$defs)
  .map(([name, def]) => definition(name, def))
  .join("\n\n")}
`;
}

export function methodTable(methods) {
  const rows = Object.entries(methods).map(([name, { description, params, result }]) => {
    const answer = result === undefined ? "–" : shapeLink(referenceOf(result));
    return `| \`${name}\` | ${shapeLink(referenceOf(params))} | ${answer} | ${cell(description)} |`;
  });
  return ["| method | params | result | |", "|---|---|---|---|", ...rows].join("\n");
}

export function errorRows({ errors }) {
  return Object.entries(errors)
    .map(([name, { code, description }]) => `| ${code} | ${name} | ${description} |`)
    .join("\n");
}

const LIMIT_WORDS = {
  maxFrameBytes: "the longest line, in bytes",
  maxDepth: "how deep a message may be nested, the message itself included",
  maxValues: "how many values a message may hold, lists and objects included",
  maxMessagesPerSecond:
    "messages from the addon in a second; a long one counts once for each 16 KiB that it begins, answers and first acknowledgements do not count",
  maxConcurrentRequests:
    "requests of the addon that may wait for the host at one time; a further one is refused with the code of `limit`",
  acknowledgeMs: "how long a request of the host may be neither acknowledged nor answered, in milliseconds",
  cancelGraceMs: "how long a cancelled request may be without its answer, in milliseconds",
  maxUnsentBytes: "what the addon may leave unread, in bytes",
};

function limitRows(limits) {
  return Object.entries(limits)
    .map(([name, value]) => {
      if (LIMIT_WORDS[name] === undefined) throw new Error(`page.mjs has no words for the limit ${name}`);
      return `| \`${name}\` | ${value} | ${LIMIT_WORDS[name]} |`;
    })
    .join("\n");
}

const FIELD_WORDS = { text: "a string", texts: "a list of strings", flag: "true or false" };

function fieldWords(fields) {
  const words = Object.entries(fields).map(([name, type]) => `\`${name}\` (${FIELD_WORDS[type]})`);
  return words.length === 0 ? "" : `: ${words.join(", ")}`;
}

export function definition(name, def) {
  const { description, properties = {}, required = [], additionalProperties } = def;
  const rows = Object.entries(properties).map(([field, of]) => {
    const mark = required.includes(field) ? "required" : "";
    return `| \`${field}\` | ${typeWords(of)} | ${mark} | ${cell(of.description ?? "")} |`;
  });
  return [
    `### ${name}`,
    "",
    ...(description === undefined ? [] : [description, ""]),
    ...(def.properties === undefined && Object.keys(def).some((key) => key !== "description")
      ? [`${capitalised(typeWords(def))}.`, ""]
      : []),
    ...(rows.length === 0 ? [] : ["| field | type | | |", "|---|---|---|---|", ...rows, ""]),
    ...(additionalProperties === true ? ["Further fields are part of it.", ""] : []),
  ]
    .join("\n")
    .trimEnd();
}

function typeWords(def) {
  if (def.$ref !== undefined) return shapeLink(referenceOf(def));
  if (def.enum !== undefined) return def.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (def.oneOf !== undefined) return def.oneOf.map(typeWords).join(", ");
  if (Array.isArray(def.type)) return def.type.map((type) => typeWords({ ...def, type })).join(" or ");
  if (def.type === "array")
    return `list of ${typeWords(def.items)}${bound(def.maxItems, (most) => `, at most ${most}`)}`;
  if (def.type === "object" && typeof def.additionalProperties === "object")
    return `object of ${typeWords(def.additionalProperties)}`;
  const from = bound(def.minimum, (least) => ` from ${least}`);
  const to = bound(def.maximum, (most) => ` to ${most}`);
  return `${def.type}${bound(def.maxLength, (most) => `, at most ${most} characters`)}${from}${to}`;
}

function bound(value, words) {
  return value === undefined ? "" : words(value);
}

function shapeLink(name) {
  return `[${name}](#${name.toLowerCase()})`;
}

/** Text that may stand in a table. */
function cell(text) {
  return text.replaceAll("|", "\\|");
}

function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function listOf(names) {
  return names.map((name) => `\`${name}\``).join(", ");
}
