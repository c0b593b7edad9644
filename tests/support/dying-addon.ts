// An addon `wrong` of each kind, whose process dies at a chosen moment and which otherwise does nothing.

import { rawManifest, rawProgram } from "./raw-addon.ts";
import { compileReply } from "./test-wasm.ts";

/** When the process dies; with `never` it does not. Moments before `after describe` prevent the addon from being loaded. */
export const MOMENTS = [
  "before the first byte",
  "half a frame",
  "closed output",
  "during describe",
  "after describe",
  "first call",
  "between calls",
  "at shutdown",
  "never",
] as const;
export type Moment = (typeof MOMENTS)[number];

export const KINDS = ["module", "python", "process", "wasm", "declarative"] as const;
export type Kind = (typeof KINDS)[number];

/** A WebAssembly module has no process of its own to end, no clock and no output: it traps when called. */
const WASM_MOMENTS: readonly Moment[] = [
  "before the first byte",
  "half a frame",
  "during describe",
  "first call",
  "at shutdown",
  "never",
];

export function momentsOf(kind: Kind): readonly Moment[] {
  if (kind === "declarative") return ["never"];
  return kind === "wasm" ? WASM_MOMENTS : MOMENTS;
}

/** The files of the addon's folder. */
export async function dyingAddon(
  kind: Kind,
  moment: Moment,
): Promise<Readonly<Record<string, string | Uint8Array>>> {
  switch (kind) {
    case "module":
      return { "index.ts": moduleText(moment) };
    case "python":
      return { "__init__.py": pythonText(moment) };
    case "process":
      return { "addon.py": programText(moment), "manifest.toml": rawManifest("wrong", REGISTRATION) };
    case "wasm":
      return {
        "wrong.wasm": await wasmModule(moment),
        "manifest.toml": 'id = "wrong"\n[run]\nwasm = "wrong.wasm"\n',
      };
    case "declarative":
      return { "manifest.toml": 'id = "wrong"\n[[command]]\nname = "wrong"\nsummary = "does nothing"\n' };
  }
}

const HALF = '{"jsonrpc":"2.0","id":1,"resu';

function moduleText(moment: Moment): string {
  return `
import { closeSync, writeSync } from "node:fs";
const MOMENT = ${JSON.stringify(moment)};
function at(moment: string, die: () => void = () => process.exit(3)): undefined {
  if (moment === MOMENT) die();
}
at("before the first byte", () => process.kill(process.pid, "SIGKILL"));
at("at shutdown", () => process.on("exit", () => process.kill(process.pid, "SIGKILL")));
export function register(surface: any): void {
  at("half a frame", () => {
    writeSync(1, ${JSON.stringify(HALF)});
    process.exit(3);
  });
  at("closed output", () => {
    closeSync(1);
    closeSync(2);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
  at("during describe");
  at("after describe", () => setTimeout(() => process.exit(3)));
  surface.on("input:submit", { kind: "gate", run: () => at("between calls", () => setTimeout(() => process.exit(3))) });
  surface.on("tool:before", { kind: "gate", run: () => at("first call") });
  surface.on("session:end", { kind: "observe", run: () => at("at shutdown") });
}
`;
}

function pythonText(moment: Moment): string {
  return `
import atexit, gc, os, signal, threading, time
from induscode.addons import GateHandler, ObserveHandler

MOMENT = ${JSON.stringify(moment)}
kill = lambda: os.kill(os.getpid(), signal.SIGKILL)
soon = lambda: threading.Timer(0.001, lambda: os._exit(3)).start()

def at(moment, die=lambda: os._exit(3)):
    if moment == MOMENT:
        die()

def sink():
    return next(each for each in gc.get_objects() if type(each).__name__ == "Pipe")._sink

def half():
    os.write(sink(), b'${HALF}')
    os._exit(3)

def close():
    os.close(sink())
    os.close(2)
    time.sleep(3600)

def behind_the_answer():
    write = os.write
    def last(pipe, data):
        written = write(pipe, data)
        if b'"protocol"' in bytes(data):
            os._exit(3)
        return written
    os.write = last

at("before the first byte", kill)
at("at shutdown", lambda: atexit.register(kill))

def register(surface):
    at("half a frame", half)
    at("closed output", close)
    at("during describe")
    at("after describe", behind_the_answer)
    surface.on("input:submit", GateHandler(lambda _: at("between calls", soon)))
    surface.on("tool:before", GateHandler(lambda _: at("first call")))
    surface.on("session:end", ObserveHandler(lambda _: at("at shutdown")))
`;
}

const REGISTRATION = {
  handlers: [
    { event: "input:submit", kind: "gate" },
    { event: "tool:before", kind: "gate" },
    { event: "session:end", kind: "observe" },
  ],
};

function programText(moment: Moment): string {
  const opening = `
import signal

def at(moment, die=lambda: os._exit(3)):
    if moment == ${JSON.stringify(moment)}:
        die()

def half():
    send('${HALF}')
    os._exit(3)

def close():
    os.close(1)
    os.close(2)
    time.sleep(3600)

at("before the first byte", lambda: os.kill(os.getpid(), signal.SIGKILL))
`;
  const body = `
if method == "describe":
    at("half a frame", half)
    at("closed output", close)
    at("during describe")
    answer(id, REGISTRATION)
    at("after describe")
elif method == "dispose":
    at("at shutdown")
    answer(id, {})
    os._exit(0)
else:
    event = params["event"]
    if event == "tool:before": at("first call")
    if event == "session:end": at("at shutdown")
    answer(id, {})
    if event == "input:submit": at("between calls")
`;
  return rawProgram(body, opening);
}

const LENGTH = 32;
const PLACEHOLDER = "MOMENT".padEnd(LENGTH, ".");
let compiled: Promise<Uint8Array> | undefined;

/** Compiled once; the moment is written over a string of the same length in it. */
async function wasmModule(moment: Moment): Promise<Uint8Array> {
  compiled ??= compileReply(
    `if (message.includes('"method":"describe"')) {
       if (is("half a frame")) return pack('${HALF}');
       if (is("during describe")) unreachable();
       return result(message, '${JSON.stringify({ protocol: 1, ...REGISTRATION })}');
     }
     if (message.includes('"event":"tool:before"') && is("first call")) unreachable();
     if (message.includes('"event":"session:end"') && is("at shutdown")) unreachable();
     return result(message, "{}");`,
    undefined,
    `const MOMENT: string = "${PLACEHOLDER}";
     function is(moment: string): bool { return MOMENT.startsWith(moment); }
     if (is("before the first byte")) unreachable();`,
  );
  const bytes = Buffer.from(await compiled);
  const place = bytes.indexOf(Buffer.from(PLACEHOLDER, "utf16le"));
  if (place < 0) throw new Error("the module has no place for the moment");
  bytes.write(moment.padEnd(LENGTH, "."), place, "utf16le");
  return bytes;
}
