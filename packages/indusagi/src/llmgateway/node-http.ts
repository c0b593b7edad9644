// Node's HTTP clients, loaded on first use. `import "node:http"` would read every property of the module to create its named
// exports, and one of them (`WebSocket`) loads Node's whole fetch implementation: 50 ms instead of 4.

/** The module `node:http`. */
export function nodeHttp(): typeof import("node:http") {
  return process.getBuiltinModule("node:http");
}

/** The module `node:https`; loads TLS, so only code that needs it should ask for it. */
export function nodeHttps(): typeof import("node:https") {
  return process.getBuiltinModule("node:https");
}
