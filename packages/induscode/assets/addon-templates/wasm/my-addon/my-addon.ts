// The source of my-addon.wasm, in AssemblyScript (TypeScript's syntax, compiled ahead). To build it again:
//   npx asc my-addon.ts --outFile my-addon.wasm --optimize --noAssert --maximumMemory 256 --use abort=
// from the npm package `assemblyscript`. 256 pages of 64 KiB are the 16 MB of the manifest. Any language will do that
// makes a module with the exports `memory`, `indus_alloc` and `indus_handle`.

/** The one import: hands the host a message; answers with the host's answer as (address << 32 | length), or 0. */
@external("indus", "host_call")
declare function host_call(at: usize, length: usize): u64;

/** Room for a message of the host. `indus_handle` gives it back. */
export function indus_alloc(size: i32): usize {
  return heap.alloc(size);
}

// Held here, so that the collector leaves it alone until the next call.
let answer: ArrayBuffer = new ArrayBuffer(0);

/** Takes a message of the protocol, answers it with (address << 32 | length). */
export function indus_handle(at: usize, length: i32): u64 {
  const message = String.UTF8.decodeUnsafe(at, length);
  heap.free(at);
  answer = String.UTF8.encode('{"jsonrpc":"2.0","id":' + idOf(message) + "," + answerTo(message) + "}");
  return ((<u64>changetype<usize>(answer)) << 32) | (<u64>answer.byteLength);
}

// A real addon reads JSON with a library: this one looks at the text of a message, which begins with jsonrpc, id, method
// and params, in this order. It takes what comes first: what a tool call carries may look like anything.
const BASH = '"method":"event","params":{"handler":0,"event":"tool:before","payload":{"name":"bash",';

function answerTo(message: string): string {
  const call = message.substring(message.indexOf('"method":'));
  if (call.startsWith('"method":"describe",'))
    return '"result":{"protocol":1,"handlers":[{"event":"tool:before","kind":"gate","onFailure":"block"}]}';
  if (call.startsWith(BASH) && call.includes("git push")) {
    tell("the model wanted to push");
    return '"result":{"stop":true,"reason":"pushing is left to the person; say that it is ready to be pushed"}';
  }
  if (call.startsWith('"method":"event",')) return '"result":{}';
  return '"error":{"code":-32601,"message":"there is no such method"}';
}

/** A line of the addon's log; a notification needs no answer. */
function tell(text: string): void {
  const line = String.UTF8.encode('{"jsonrpc":"2.0","method":"log","params":{"text":"' + text + '"}}');
  host_call(changetype<usize>(line), line.byteLength);
}

/** The host's ids are whole numbers. */
function idOf(message: string): string {
  const from = message.indexOf('"id":') + 5;
  let end = from;
  while (end < message.length && message.charCodeAt(end) >= 48 && message.charCodeAt(end) <= 57) end++;
  return message.substring(from, end);
}
