// Runs command lines in real shells under strace, in a scratch folder of the sandbox without a network, and says what each did:
// which programs it started, which files it opened, what it changed.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Call,
  completeCalls,
  startOf,
  stopAtListedCalls,
  strace,
  takeTexts,
} from "../support/system-trace.ts";
import { STUBS } from "./shell-lines.ts";

/** What one line did in one shell. */
export interface Traced {
  readonly line: string;
  readonly shell: string;
  /** Its working directory, which lies in a folder of its own. */
  readonly root: string;
  readonly starts: readonly { readonly argv: readonly string[]; readonly env: readonly string[] }[];
  /** Real paths. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Removed, renamed, made, linked, reached or signalled. */
  readonly others: readonly string[];
}

export interface TracedShells {
  readonly run: (lines: readonly string[], shells: readonly (readonly string[])[]) => readonly Traced[];
  /** A working directory like those that lines run in. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => void;
}

/** What is started as `sh` is the one or the other. */
export const ANY_SHELL: readonly (readonly string[])[] = [["dash"], ["bash", "--posix"]];
/** Where there is bash, it runs the model's commands so. */
export const BASH: readonly (readonly string[])[] = [["bash", "--norc", "--noprofile", "-p"]];

const REAL = [
  ...[
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "sort",
    "uniq",
    "grep",
    "sed",
    "awk",
    "find",
    "cut",
    "tr",
    "nl",
    "diff",
  ],
  ...["pwd", "true", "false", "test", "[", "echo", "printf", "basename", "date", "seq", "stat"],
  ...["sh", "bash", "dash", "env", "nohup", "nice", "timeout", "setsid", "stdbuf", "ionice", "xargs"],
  ...["tac", "rev", "column", "paste", "fold", "cmp", "comm", "file", "du", "df", "realpath"],
  ...[
    "readlink",
    "md5sum",
    "sha256sum",
    "cksum",
    "od",
    "strings",
    "jq",
    "dirname",
    "uname",
    "which",
    "rg",
    "tree",
  ],
];
const CHANGES =
  "unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,symlink,symlinkat,link,linkat,mknod,mknodat,truncate,chmod,fchmodat,chown,lchown,fchownat,utimensat,connect,bind,kill";
const FORKS = "clone,clone3,fork,vfork";
const TRACED = `execve,execveat,open,openat,openat2,creat,${CHANGES},${FORKS}`;

export function tracedShells(): TracedShells {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-traced-")));
  const bin = join(base, "bin");
  const template = join(base, "template");
  mkdirSync(bin);
  for (const name of REAL) {
    const place = placeOf(name);
    if (place !== undefined) symlinkSync(place, join(bin, name));
  }
  for (const name of STUBS) {
    writeFileSync(join(bin, name), "#!/bin/sh\n");
    chmodSync(join(bin, name), 0o755);
  }
  for (const folder of ["ws/src", "ws/.git", "outside", "home"])
    mkdirSync(join(template, folder), { recursive: true });
  for (const file of [
    "ws/a.txt",
    "ws/b.txt",
    "ws/a b.txt",
    "ws/src/b.txt",
    "ws/guarded.txt",
    "secret",
    "outside/secret",
  ])
    writeFileSync(join(template, file), "r m\nx\n");
  writeFileSync(join(template, "ws/.git/config"), "[core]\n\trepositoryformatversion = 0\n");
  symlinkSync("../secret", join(template, "ws/link.txt"));
  symlinkSync("../outside", join(template, "ws/out"));
  const env = { PATH: bin, HOME: join(template, "home") };
  let batches = 0;
  return {
    root: join(template, "ws"),
    env,
    close: () => rmSync(base, { recursive: true, force: true }),
    run(lines, shells) {
      const batch = join(base, `batch-${++batches}`);
      const runs = lines.flatMap((line) => shells.map((shell) => ({ line, shell })));
      const script = runs.map(({ line, shell }, at) => {
        const place = join(batch, String(at));
        cpSync(template, place, { recursive: true, verbatimSymlinks: true });
        const argv = [...LIMITER, ...shell, "-c", line]
          .map((each) => `'${each.replaceAll("'", "'\\''")}'`)
          .join(" ");
        return `(cd '${place}/ws' && HOME='${place}/home' exec ${argv} </dev/null >/dev/null 2>&1)`;
      });
      const [driver, record] = [join(batch, "driver"), join(batch, "record")];
      writeFileSync(driver, script.join("\n"));
      // Nothing but the scratch folder can be written, whatever is run.
      const argv = [
        "bwrap",
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--tmpfs",
        "/tmp",
        "--bind",
        base,
        base,
        "--unshare-all",
        "--die-with-parent",
        "--clearenv",
        ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
        strace(),
        "-f",
        ...stopAtListedCalls(),
        "-v",
        "-y",
        "-s",
        "131072",
        "-e",
        "signal=none",
        "-e",
        `trace=${TRACED}`,
        "-o",
        record,
        "--",
        "dash",
        driver,
      ];
      const [program = "", ...rest] = argv;
      const { error, status, stderr } = spawnSync(program, rest, {
        cwd: batch,
        encoding: "utf8",
        timeout: DEADLINE_MS,
      });
      if (error || status === null)
        throw new Error(`the traced shells did not end: ${error?.message} ${stderr}`);
      const done = deedsIn(
        readFileSync(record, "utf8"),
        runs.map(({ line, shell }, at) => ({
          line,
          shell: shell.join(" "),
          root: join(batch, String(at), "ws"),
        })),
      );
      rmSync(batch, { recursive: true, force: true });
      return done;
    },
  };
}

const DEADLINE_MS = 300_000;
/** A line that does not end ends so. */
const LIMITER = [placeOf("timeout") ?? "timeout", "-k", "1", "3"];

function placeOf(name: string): string | undefined {
  return ["/usr/bin", "/bin"].map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Whose call it was: the driver's children are the lines, one after the other. */
function deedsIn(
  record: string,
  runs: readonly Pick<Traced, "line" | "shell" | "root">[],
): readonly Traced[] {
  const calls = completeCalls(record);
  const parents = new Map<number, number>();
  const driver = calls[0]?.pid ?? 0;
  const first = new Map<number, number>();
  for (const { pid, name, result } of calls) {
    if (!FORKS.split(",").includes(name) || !/^\d+$/.test(result)) continue;
    parents.set(Number(result), pid);
    if (pid === driver) first.set(Number(result), first.size);
  }
  const runOf = (pid: number): number | undefined => {
    for (let at: number | undefined = pid; at !== undefined; at = parents.get(at))
      if (first.has(at)) return first.get(at);
    return undefined;
  };
  const each = runs.map((run) => ({ ...run, starts: [], reads: [], writes: [], others: [] }) as Gathered);
  if (first.size !== runs.length) throw new Error(`${first.size} of ${runs.length} lines were run`);
  for (const call of calls) {
    const at = runOf(call.pid);
    if (at === undefined || FORKS.split(",").includes(call.name) || !/^\d/.test(call.result)) continue;
    note(call, each[at] as Gathered);
  }
  // The limiter, and the shell that it starts.
  return each.map((run) => ({ ...run, starts: run.starts.slice(2) }));
}

interface Gathered extends Traced {
  readonly starts: { readonly argv: readonly string[]; readonly env: readonly string[] }[];
  readonly reads: string[];
  readonly writes: string[];
  readonly others: string[];
}

function note({ name, args, result }: Call, run: Gathered): void {
  const { shape, texts } = takeTexts(args);
  if (name.startsWith("exec")) run.starts.push(startOf(name, shape, texts));
  else if (/^(?:open|creat)/.test(name)) {
    const [, path = ""] = /^\d+<([\s\S]*)>(?:\(deleted\))?$/.exec(result) ?? [];
    const isWrite = name === "creat" || /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE/.test(shape);
    if (/O_DIRECTORY/.test(shape)) return;
    (isWrite ? run.writes : run.reads).push(path);
  } else run.others.push(`${name}(${args})`);
}
