// An addon for the suite's own tests that takes a chunk of its input for a line: it loses what comes in pieces.
const answers = {
  describe: { protocol: 1, handlers: [{ event: "tool:before", kind: "gate" }] },
  event: {},
  dispose: {},
};
process.stdin.on("data", (chunk) => {
  for (const line of chunk.toString().split("\n")) answer(line);
});

function answer(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  const { id, method, params } = message;
  if (id === undefined) return;
  if (method === "describe" && params.protocol.min > 1) return refuse(id, -32602);
  if (method === "event" && params.handler === undefined) return refuse(id, -32602);
  if (answers[method] === undefined) return refuse(id, -32601);
  send({ id, result: answers[method] });
  if (method === "dispose") process.exit(0);
}

function refuse(id, code) {
  send({ id, error: { code, message: "refused" } });
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}
