// A hand-written addon for the tests of this folder: speaks the protocol without our kit, and misbehaves on demand.
// Arguments: a registration as JSON.
import { createInterface } from "node:readline";

const registration = JSON.parse(process.argv[2] ?? "{}");
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const waiting = new Map();
let lastId = 0;
const ask = (method, params) =>
  new Promise((resolve) => {
    waiting.set(`a${++lastId}`, resolve);
    send({ id: `a${lastId}`, method, params });
  });

const answers = {
  describe: () => ({ protocol: 1, ...registration }),
  dispose: () => {
    setImmediate(() => process.exit(0));
    return {};
  },
  event: ({ payload }, id) => misbehave(payload, id),
  enter: ({ args }, id) => misbehave(args, id),
  tool: async ({ args }) => ({
    content: [{ kind: "text", text: JSON.stringify(await ask(args.ask, args.params)) }],
  }),
  command: async ({ args }, id) => {
    send({ method: "progress", params: { id, text: `hello ${args}` } });
    await ask("setModel", { name: args });
    return {};
  },
};

async function misbehave(order, id) {
  switch (order?.do) {
    case "refuse":
      throw Object.assign(new Error(order.message ?? "it refused"), { code: order.code });
    case "throw":
      throw new Error("it threw");
    case "exit":
      process.exit(3);
      break;
    case "hang":
      send({ method: "ack", params: { id } });
      return new Promise(() => undefined);
    case "silent":
      return new Promise(() => undefined);
    case "garbage":
      process.stdout.write("this is no JSON\n");
      return new Promise(() => undefined);
    case "wrong-id":
      send({ id: 987_654, result: {} });
      return new Promise(() => undefined);
    case "stop":
      return { stop: true, reason: "no" };
    case "crash-later":
      setTimeout(() => process.exit(4), 20);
      return {};
    case "flood":
      for (let sent = 0; sent < 20_000; sent++)
        send({ method: "diagnostic", params: { severity: "info", text: "x" } });
      return {};
    default:
      return order?.answer ?? {};
  }
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) {
    waiting.get(id)?.(error ?? result);
    return;
  }
  if (id === undefined) return; // cancel: this addon ignores it
  try {
    send({ id, result: await answers[method](params, id) });
  } catch (failure) {
    send({ id, error: { code: failure.code ?? -32603, message: failure.message } });
  }
});
