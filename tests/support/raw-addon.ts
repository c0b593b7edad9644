// A program that implements the addon protocol by hand, in Python without the kit: a test defines what it registers, and what
// it does with each request.

/** The first lines of every program. */
const FRAME = `import json, os, sys, time

def send(text):
    sys.stdout.write(text)
    sys.stdout.flush()

def answer(id, result):
    send(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}) + "\\n")

def fail(id, message):
    send(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": message}}) + "\\n")

REGISTRATION = json.loads(sys.argv[1])
`;

/** `body` runs once per request, with `id`, `method` and `params`; `opening` runs before any request. */
export function rawProgram(body: string, opening = ""): string {
  const loop = [
    "for line in sys.stdin:",
    "    message = json.loads(line)",
    '    id, method, params = message.get("id"), message.get("method"), message.get("params", {})',
    "    if id is None: continue",
  ];
  const inner = body
    .trim()
    .split("\n")
    .map((line) => `    ${line}`);
  return [FRAME, opening, ...loop, ...inner, ""].join("\n");
}

/** The manifest of a program that is next to it as `addon.py`; `more` are additional keys. */
export function rawManifest(id: string, registration: object, more = ""): string {
  const command = ["python3", "-I", "-B", "addon.py", JSON.stringify({ protocol: 1, ...registration })];
  return `id = ${JSON.stringify(id)}\n${more}\n[run]\ncommand = ${JSON.stringify(command)}\n`;
}
