// A hostile addon in WebAssembly, written in AssemblyScript. The text ORDER is overwritten in the built module with the
// hook point at which it misbehaves, and how; there it does, and is a quiet addon otherwise.

@external("indus", "host_call")
declare function host_call(at: usize, length: usize): u64;

/** 48 characters, found in the module by the first of them. */
const ORDER: string = "ORDER                                           ";

export function indus_alloc(size: i32): usize {
  return heap.alloc(size);
}

// Held here, so that the collector leaves it alone until the next call.
let answer: ArrayBuffer = new ArrayBuffer(0);
let spins: i32 = 0;
/** What is answered in place of the proper answer. */
let forged: string = "";

reach("load", "1");

export function indus_handle(at: usize, length: i32): u64 {
  const message = String.UTF8.decodeUnsafe(at, length);
  heap.free(at);
  const id = after(message, '"id":', ",");
  const method = after(message, '"method":"', '"');
  forged = "";
  reach(pointOf(method, message), id);
  if (forged != "") answer = String.UTF8.encode(forged);
  else if (answer.byteLength < 1048576) answer = String.UTF8.encode('{"jsonrpc":"2.0","id":' + id + ',"result":' + resultOf(method) + "}");
  return (<u64>changetype<usize>(answer) << 32) | <u64>answer.byteLength;
}

function resultOf(method: string): string {
  if (method == "describe") return REGISTRATION;
  if (method == "tool") return '{"content":[{"kind":"text","text":"done"}]}';
  return "{}";
}

const REGISTRATION = `{"protocol":1,"handlers":[
{"event":"session:start","kind":"observe"},{"event":"session:end","kind":"observe"},
{"event":"turn:start","kind":"observe"},{"event":"turn:end","kind":"observe"},
{"event":"tool:before","kind":"gate"},{"event":"input:submit","kind":"gate"},
{"event":"compact:before","kind":"gate"},{"event":"tool:after","kind":"transform"},
{"event":"chat:params","kind":"transform"},{"event":"chat:message","kind":"transform"},
{"event":"shell:env","kind":"transform"},{"event":"context:build","kind":"transform"},
{"event":"compact:build","kind":"transform"}],
"interceptors":[{"match":"around-enter","enter":true,"exit":false},{"match":"around-exit","enter":false,"exit":true}],
"commands":[{"name":"probe-command","summary":"misbehaves"}],
"tools":[{"name":"probe_tool","description":"misbehaves","parameters":{"type":"object"}}],
"tasks":[{"id":"probe-task","description":"misbehaves","activation":"onDemand","graceMs":300}]}`;

function pointOf(method: string, message: string): string {
  if (method == "event") return after(message, '"event":"', '"');
  if (method == "describe") return "register";
  return method == "task/start" ? "task" : method;
}

function reach(point: string, id: string): void {
  const words = ORDER.split(" ");
  if (words[0] == point) misbehave(point, words[1], id);
}

function misbehave(point: string, does: string, id: string): void {
  if (does == "throws") unreachable();
  if (does == "hangs" || does == "is-killed") while (true) spins++;
  if (does == "floods") repeat(16 * 1024, '{"jsonrpc":"2.0","method":"flood","params":{"text":"' + "x".repeat(65536) + '"}}');
  if (does == "answers-garbage") forge(point, "this is no JSON");
  if (does == "answers-wrong-ids") forge(point, '{"jsonrpc":"2.0","id":987654,"result":{}}');
  if (does == "answers-deep-json") forge(point, '{"jsonrpc":"2.0","id":' + id + ',"result":' + '{"a":'.repeat(100000) + "1" + "}".repeat(100001));
  if (does == "answers-huge-json") {
    const text = String.UTF8.encode('{"jsonrpc":"2.0","id":' + id + ',"result":{"reason":"');
    answer = new ArrayBuffer(12 * 1024 * 1024);
    memory.fill(changetype<usize>(answer), 120, answer.byteLength);
    memory.copy(changetype<usize>(answer), changetype<usize>(text), text.byteLength);
    if (point == "load") host_call(changetype<usize>(answer), answer.byteLength);
  }
  if (does == "allocates") {
    while (memory.grow(16) >= 0) spins++;
    unreachable();
  }
  if (does == "pretends-to-be-another") send(diagnostic("project:watching failed at tool:before: forged words"));
  if (does == "adds-up-size") repeat(100, diagnostic("a long line: " + "x".repeat(102400)));
  if (does == "floods-the-console")
    for (let number = 1000; number < 21000; number++)
      send('{"jsonrpc":"2.0","id":' + number.toString() + ',"method":"ui/render","params":{"shape":{"kind":"text","text":"a flood"}}}');
  if (does == "faults-10000-a-second")
    repeat(20000, '{"jsonrpc":"2.0","method":"diagnostic","params":{"severity":"error","text":"a fault"}}');
}

function diagnostic(text: string): string {
  return '{"jsonrpc":"2.0","method":"diagnostic","params":{"severity":"error","text":"' + text + '"}}';
}

/** While the module is loaded there is no answer to forge: then the text goes to the host by itself. */
function forge(point: string, text: string): void {
  if (point == "load") send(text);
  else forged = text;
}

function repeat(times: i32, message: string): void {
  const bytes = String.UTF8.encode(message);
  for (let count = 0; count < times; count++) host_call(changetype<usize>(bytes), bytes.byteLength);
}

function send(message: string): void {
  repeat(1, message);
}

/** What stands between `key` and `end`. */
function after(text: string, key: string, end: string): string {
  const found = text.indexOf(key);
  if (found < 0) return "";
  const from = found + key.length;
  return text.substring(from, text.indexOf(end, from));
}
