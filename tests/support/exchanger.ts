// A process that repeatedly exchanges a folder with a link (renameat2 with RENAME_EXCHANGE, through node:ffi), as a
// hostile one does while the host looks: at every moment one of the two is at the path, never nothing.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface Exchanger {
  /** How many exchanges have been reported so far. */
  readonly count: () => number;
  readonly stop: () => Promise<void>;
}

const PROGRAM = `
const ffi = process.getBuiltinModule("node:ffi");
const { functions } = ffi.dlopen(null, {
  renameat2: { return: "int32", arguments: ["int32", "string", "int32", "string", "uint32"] },
});
const [a, b] = process.argv.slice(1);
const AT_FDCWD = -100, RENAME_EXCHANGE = 2;
const exchange = () => functions.renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) === 0;
if (!exchange()) process.exit(3);
process.stdout.write("ready\\n");
let count = 1;
process.once("disconnect", () => process.exit(0));
const turn = () => {
  const burst = 200 + Math.floor(Math.random() * 200);
  for (let n = 0; n < burst; n++) exchange();
  process.send((count += burst));
  setTimeout(turn, Math.random() * 2);
};
turn();
`;

/** Why nothing can be exchanged here; undefined if it can. */
export function exchangeProblem(): string | undefined {
  if (process.platform !== "linux") return "it needs Linux";
  return process.getBuiltinModule("node:ffi") === undefined ? "it needs node:ffi" : undefined;
}

/** Starts exchanging the items at the two paths. */
export async function startExchanging(a: string, b: string): Promise<Exchanger> {
  const child: ChildProcess = spawn(process.execPath, ["--no-warnings", "-e", PROGRAM, a, b], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  let count = 0;
  child.on("message", (told) => {
    count = Number(told);
  });
  const ended = once(child, "exit");
  const ready = child.stdout && once(child.stdout, "data");
  await Promise.race([
    ready,
    ended.then(([code]) => {
      throw new Error(`nothing could be exchanged (exit code ${code})`);
    }),
  ]);
  return {
    count: () => count,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
