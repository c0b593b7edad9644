// Which of many files may no longer be what was seen. Asking for 20,000 takes over 30 ms, and a command waits for the answer: a second
// thread asks for half of them.

import { lstatSync, type Stats } from "node:fs";
import { type MessagePort, Worker } from "node:worker_threads";
import { inBatches } from "./in-batches.ts";
import { figuresOf, isAsSeen, type SeenFile } from "./seen-file.ts";

type Files = readonly (readonly [path: string, seen: SeenFile])[];

export interface KnownFiles {
  /** The paths of those that are gone or may have changed. */
  readonly others: (known: ReadonlyMap<string, SeenFile>) => Promise<Set<string>>;
  /** Ends the thread. */
  readonly close: () => void;
}

/** For fewer a thread is not worth its start. */
const MIN_FILES = 4_000;
/** The thread is asked for those of its files that are as they were; with less than this share of all, it gets others. */
const MIN_SHARE = 0.4;

/** For files with paths relative to `root`, which ends with a separator. */
export function createKnownFiles(root: string, minFiles: number = MIN_FILES): KnownFiles {
  let thread: Thread | undefined;
  return { others, close: () => thread?.close() };

  async function others(known: ReadonlyMap<string, SeenFile>): Promise<Set<string>> {
    const asked = thread;
    const answer = asked?.others();
    const all = [...known];
    const own = asked ? all.filter(([, seen]) => !asked.files.has(seen)) : all;
    const found = new Set<string>();
    await inBatches(own, ([path, seen]) => {
      const is = plainFile(`${root}${path}`);
      if (!is || !isAsSeen(is, seen)) found.add(path);
    });
    const theirs = await answer;
    if (asked && !theirs) {
      thread = undefined; // it has failed
      return others(known);
    }
    for (const path of theirs ?? []) {
      const seen = known.get(path);
      if (seen && asked?.files.has(seen)) found.add(path);
    }
    if (all.length >= minFiles && all.length - own.length < all.length * MIN_SHARE) {
      thread ??= startThread(root);
      thread.take(all.slice(all.length / 2));
    }
    return found;
  }
}

export function plainFile(path: string): Stats | undefined {
  const found = whatIsAt(path);
  return found?.isFile() ? found : undefined;
}

/** Undefined also where something on the way is no folder, or closed to this user. */
export function whatIsAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

interface Thread {
  /** What it has been given. */
  readonly files: ReadonlySet<SeenFile>;
  readonly take: (files: Files) => void;
  /** Which of those are gone or may have changed; undefined if the thread has failed. */
  readonly others: () => Promise<readonly string[] | undefined>;
  readonly close: () => void;
}

/** What the thread is sent: files to keep, or nothing, which asks for them. */
interface Share {
  readonly paths: readonly string[];
  /** Four figures of each. */
  readonly marks: Float64Array;
}

function startThread(root: string): Thread {
  const program = `const { parentPort, workerData } = require("node:worker_threads");
(${threadMain.toString()})(parentPort, workerData);`;
  const worker = new Worker(program, { eval: true, workerData: root, env: {}, execArgv: [] });
  let files = new Set<SeenFile>();
  let hasFailed = false;
  let answer: (others: readonly string[] | undefined) => void = () => undefined;
  const onEnd = (): void => {
    hasFailed = true;
    answer(undefined);
  };
  worker.on("error", onEnd);
  worker.on("exit", onEnd);
  worker.on("message", (others: readonly string[]) => answer(others));
  worker.unref(); // a listener for messages would keep the process alive
  return {
    get files() {
      return files;
    },
    take(given) {
      files = new Set(given.map(([, seen]) => seen));
      const marks = Float64Array.from(given.flatMap(([, seen]) => figuresOf(seen)));
      worker.postMessage({ paths: given.map(([path]) => path), marks } satisfies Share);
    },
    others() {
      if (hasFailed) return Promise.resolve(undefined);
      worker.ref(); // the process must not end meanwhile
      worker.postMessage(undefined);
      return new Promise((resolve) => {
        answer = (others) => {
          worker.unref();
          resolve(others);
        };
      });
    },
    close: () => void worker.terminate(),
  };
}

/** The source text of this function is the thread's whole program, so it cannot use anything outside itself. */
function threadMain(port: MessagePort, root: string): void {
  const fs = process.getBuiltinModule("node:fs");
  let share: Share = { paths: [], marks: new Float64Array() };
  const isOther = (path: string, mark: Float64Array): boolean => {
    try {
      const found = fs.lstatSync(`${root}${path}`, { throwIfNoEntry: false });
      const is = found?.isFile() ? [found.mtimeMs, found.ctimeMs, found.size, found.ino] : [];
      return mark.some((figure, at) => figure !== is[at]);
    } catch {
      return true;
    }
  };
  port.on("message", (given: Share | undefined) => {
    if (given) share = given;
    else
      port.postMessage(
        share.paths.filter((path, at) => isOther(path, share.marks.subarray(4 * at, 4 * at + 4))),
      );
  });
}
