// The memory file system as the model for the others: random operations have the same results on all of them.

import { symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { codeOf, type FsSubject, type MakeFsSubject } from "../../../../../tests/support/fs-cases.ts";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import type { Fs } from "../kernel/contract.ts";
import { localFs } from "./local-fs.ts";
import { memoryFs } from "./memory-fs.ts";
import { confinedTo } from "./scoped.ts";
import { scopedFs } from "./scoped-fs.ts";

interface Step {
  readonly label: string;
  readonly run: (subject: FsSubject) => Promise<void>;
}

const segment = fc.constantFrom("a", "b", "c");
// No upward segments, so that no run leaves its folder.
const place = fc.array(segment, { maxLength: 3 }).map((segments) => segments.join("/"));
const entry = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join("/"));

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(entry, fc.string({ maxLength: 4 })).map(([to, text]) => ({
    label: `write ${to}`,
    run: ({ fs, root }: FsSubject) => fs.writeFile(join(root, to), text),
  })),
  fc.tuple(place, fc.boolean()).map(([to, recursive]) => ({
    label: `mkdir ${to} ${recursive}`,
    run: ({ fs, root }: FsSubject) => fs.mkdir(join(root, to), { recursive }),
  })),
  fc.tuple(entry, fc.boolean(), fc.boolean()).map(([at, recursive, ignoreMissing]) => ({
    label: `rm ${at} ${recursive} ${ignoreMissing}`,
    run: ({ fs, root }: FsSubject) => fs.rm(join(root, at), { recursive, ignoreMissing }),
  })),
  fc.tuple(place, entry, fc.boolean()).map(([target, at, isAbsolute]) => ({
    label: `link ${at} to ${isAbsolute ? "/" : "./"}${target}`,
    run: ({ symlink: link, root }: FsSubject) =>
      link(isAbsolute ? join(root, target) : target || ".", join(root, at)),
  })),
);

const PLACES = [
  "",
  ...["a", "b", "c"].flatMap((first) => [first, `${first}/a`, `${first}/b`, `${first}/b/a`]),
];

/** Everything visible at these places, with errors as their codes. */
async function look({ fs, root }: FsSubject): Promise<unknown> {
  return Promise.all(
    PLACES.map(async (name) => {
      const at = join(root, name);
      return [
        name,
        await seen(fs.readText(at)),
        await seen(fs.readBytes(at, { start: 1, maxBytes: 2 }).then((bytes) => [...bytes])),
        await seen(describe(fs, at)),
        await seen(fs.readDir(at).then((children) => children.map((child) => JSON.stringify(child)).sort())),
        await seen(fs.exists(at)),
        await seen(fs.realPath(at).then((real) => relative(root, real))),
      ];
    }),
  );
}

async function describe(fs: Fs, at: string): Promise<unknown> {
  const { isFile, isDirectory, isSymlink, size } = await fs.stat(at);
  return [isFile, isDirectory, isSymlink, isFile ? size : undefined];
}

async function seen(work: Promise<unknown>): Promise<unknown> {
  return work.catch(() => codeOf(work));
}

async function sameResults(make: MakeFsSubject, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const model = memoryFs();
      const subject = await make();
      await model.mkdir(subject.root, { recursive: true });
      const reference: FsSubject = { fs: model, root: subject.root, symlink: model.symlink };
      for (const { label, run } of steps) {
        expect([label, await codeOf(run(subject))]).toEqual([label, await codeOf(run(reference))]);
      }
      expect(await look(subject)).toEqual(await look(reference));
    }),
    { numRuns: runs },
  );
}

function local(): FsSubject {
  return { fs: localFs(), root: createWorkspace().root, symlink };
}

async function memory(): Promise<FsSubject> {
  const fs = memoryFs();
  await fs.mkdir("/ws");
  return { fs, root: "/ws", symlink: fs.symlink };
}

function scoped(subject: FsSubject): FsSubject {
  return { ...subject, fs: scopedFs(subject.fs, confinedTo(subject.root)) };
}

test("on the disk", () => sameResults(local, 80));
test("on the disk, confined to the folder", () => sameResults(() => scoped(local()), 40));
test("in memory, confined to the folder", () => sameResults(async () => scoped(await memory()), 150));
