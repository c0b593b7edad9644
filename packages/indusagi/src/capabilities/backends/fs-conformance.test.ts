import { chmodSync, statSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { type FsSubject, fsCases } from "../../../../../tests/support/fs-cases.ts";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import { checkedFs } from "./checked-fs.ts";
import { localFs } from "./local-fs.ts";
import { memoryFs } from "./memory-fs.ts";
import { openByPath } from "./place.ts";
import { checkOf } from "./scope-guard.ts";
import { confinedTo } from "./scoped.ts";
import { scopedFs } from "./scoped-fs.ts";

function local(): FsSubject {
  return {
    fs: localFs(),
    root: createWorkspace().root,
    symlink,
    modes:
      process.platform !== "win32"
        ? { set: chmodSync, get: (path) => statSync(path).mode & 0o7777 }
        : undefined,
  };
}

async function memory(): Promise<FsSubject> {
  const fs = memoryFs();
  await fs.mkdir("/ws", { recursive: true });
  return { fs, root: "/ws", symlink: fs.symlink };
}

function scoped(subject: FsSubject): FsSubject {
  return { ...subject, fs: scopedFs(subject.fs, confinedTo(subject.root)) };
}

/** Like a system that does not report where an open file is. */
function weaker(subject: FsSubject): FsSubject {
  return { ...subject, fs: checkedFs(checkOf(confinedTo(subject.root)), openByPath) };
}

fsCases("localFs", local);
fsCases("memoryFs", memory);
fsCases("scopedFs over localFs", () => scoped(local()));
fsCases("scopedFs over localFs, without handles", () => weaker(local()));
fsCases("scopedFs over memoryFs", async () => scoped(await memory()));
