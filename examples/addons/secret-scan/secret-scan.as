// An addon in WebAssembly, written in AssemblyScript (TypeScript's syntax, compiled ahead; hence not a .ts file). It has
// no library: the messages of the protocol are looked through as the texts that they are.
// Build it with: node scripts/build-wasm.mjs

/** The one import: hands the host a message; answers with the host's answer as (address << 32 | length), or 0. */
@external("indus", "host_call")
declare function host_call(at: usize, length: usize): u64;

/** Room for a message of the host. `indus_handle` gives it back. */
export function indus_alloc(size: i32): usize {
  return heap.alloc(size);
}

// Held here, so that the collector leaves it alone until the next call.
let answer: ArrayBuffer = new ArrayBuffer(0);

/** Takes a message, answers it. */
export function indus_handle(at: usize, length: i32): u64 {
  const message = take(at, length);
  const id = field(message, "id");
  const method = text(field(message, "method"));
  const params = field(message, "params");
  answer = String.UTF8.encode('{"jsonrpc":"2.0","id":' + id + "," + handle(id, method, params) + "}");
  return pack(answer);
}

const REGISTRATION = `"result":{
  "protocol": 1,
  "handlers": [{"event": "tool:before", "kind": "gate"}, {"event": "input:submit", "kind": "gate"}],
  "commands": [{"name": "scan-secrets", "summary": "look for secrets in a file", "argumentHint": "PATH"}]
}`;

function handle(id: string, method: string, params: string): string {
  if (method == "describe") return REGISTRATION;
  if (method == "event") return judge(text(field(params, "event")), field(params, "payload"));
  if (method == "command") return scanFile(id, field(params, "args"));
  return '"error":{"code":-32601,"message":"there is no such method"}';
}

function judge(event: string, payload: string): string {
  const kind = secretIn(payload);
  if (kind == "") return '"result":{}';
  const where = event == "tool:before" ? "the arguments of " + text(field(payload, "name")) + " hold " : "your line holds ";
  return '"result":{"stop":true,"reason":' + quoted(where + "what looks like " + kind) + "}";
}

/** `path` is JSON already, and goes to the host as it came. */
function scanFile(id: string, path: string): string {
  const reply = ask('{"jsonrpc":"2.0","id":1,"method":"readFile","params":{"path":' + path + "}}");
  const problem = field(reply, "error");
  if (problem != "") return '"error":' + problem;
  const kind = secretIn(field(field(reply, "result"), "text"));
  const told = kind == "" ? "nothing that looks like a secret" : "what looks like " + kind;
  const line = quoted(text(path) + " holds " + told);
  ask('{"jsonrpc":"2.0","method":"progress","params":{"id":' + id + ',"text":' + line + "}}");
  return '"result":{}';
}

// ---- secrets ------------------------------------------------------------------------------------------------

/** What kind of secret a text holds; empty for none. */
function secretIn(content: string): string {
  if (hasRun(content, "AKIA", 16)) return "an access key of AWS";
  if (hasRun(content, "ghp_", 36)) return "a token of GitHub";
  if (hasRun(content, "xoxb-", 20)) return "a token of Slack";
  if (content.includes("PRIVATE KEY-----")) return "a private key";
  return "";
}

/** Whether `prefix` stands somewhere with so many letters, digits or dashes behind it. */
function hasRun(content: string, prefix: string, length: i32): bool {
  for (let at = content.indexOf(prefix); at >= 0; at = content.indexOf(prefix, at + 1)) {
    let end = at + prefix.length;
    while (end < content.length && isWord(content.charCodeAt(end))) end++;
    if (end - at - prefix.length >= length) return true;
  }
  return false;
}

function isWord(code: i32): bool {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code == 45;
}

// ---- messages -----------------------------------------------------------------------------------------------

function ask(message: string): string {
  const bytes = String.UTF8.encode(message);
  const reply = host_call(changetype<usize>(bytes), bytes.byteLength);
  return reply == 0 ? "" : take(<usize>(reply >> 32), <i32>(reply & 0xffffffff));
}

function take(at: usize, length: i32): string {
  const message = String.UTF8.decodeUnsafe(at, length);
  heap.free(at);
  return message;
}

function pack(bytes: ArrayBuffer): u64 {
  return (<u64>changetype<usize>(bytes) << 32) | <u64>bytes.byteLength;
}

/** The JSON of one field of a JSON object; empty where it has none. */
function field(json: string, name: string): string {
  const wanted = '"' + name + '"';
  let at = skipBlanks(json, 0) + 1;
  while (at < json.length) {
    at = skipBlanks(json, at);
    const keyEnd = skipValue(json, at);
    const key = json.substring(at, keyEnd);
    at = skipBlanks(json, keyEnd) + 1; // the colon
    at = skipBlanks(json, at);
    const end = skipValue(json, at);
    if (key == wanted) return json.substring(at, end);
    at = skipBlanks(json, end) + 1; // the comma, or the end
  }
  return "";
}

function skipBlanks(json: string, from: i32): i32 {
  let at = from;
  while (at < json.length && json.charCodeAt(at) <= 32) at++;
  return at;
}

/** Where the value that begins at `from` ends. */
function skipValue(json: string, from: i32): i32 {
  let depth = 0;
  let inText = false;
  for (let at = from; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (inText) {
      if (code == 92) at++; // a backslash: the next character does not count
      else if (code == 34) {
        inText = false;
        if (depth == 0) return at + 1;
      }
    } else if (code == 34) inText = true;
    else if (code == 123 || code == 91) depth++;
    else if (code == 125 || code == 93) {
      if (depth == 0) return at;
      depth--;
      if (depth == 0) return at + 1;
    } else if (depth == 0 && (code == 44 || code == 58)) return at;
  }
  return json.length;
}

/** The text of a JSON string, but for escapes: names of methods, events and tools have none. */
function text(json: string): string {
  return json.length < 2 ? "" : json.substring(1, json.length - 1);
}

/** A text as JSON. What comes from `text` is escaped already. */
function quoted(content: string): string {
  return '"' + content + '"';
}
