import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import type { TreeNode } from "@npmcli/arborist";
import { Header } from "tar";
import { expect, it } from "vitest";
import { MAX_NEEDED_BYTES, measureNeeds } from "./measure-needs.ts";

const node = (more: Partial<TreeNode> = {}): TreeNode => ({
  name: "needed",
  resolved: "http://127.0.0.1/needed.tgz",
  isProjectRoot: false,
  isLink: false,
  inBundle: false,
  inert: false,
  ...more,
});

/** An archive that begins with a file of this size; what follows is never read. */
function archive(size: number): Readable {
  const header = new Header({ path: "package/file", type: "File", size, mode: 0o644 });
  const block = Buffer.alloc(512);
  header.encode(block);
  return Readable.from([gzipSync(Buffer.concat([block, Buffer.alloc(size > 1_000 ? 512 : 1_536)]))]);
}
const measured = (size: number, nodes: readonly TreeNode[]) =>
  measureNeeds(nodes, (_, take) => take(archive(size)));

it("one file that is larger than all may be is refused by its header", async () => {
  await expect(measured(MAX_NEEDED_BYTES + 1, [node()])).rejects.toThrow(
    "its dependencies have more than 100000 files or 512 MiB (at needed), so nothing was unpacked",
  );
});

it("what has no checksum gets that of what was read, so that nothing else is unpacked", async () => {
  const needed = node();
  await measured(100, [needed]);
  expect(needed.integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
});

it("what is not unpacked is not measured", async () => {
  const none = [
    { isProjectRoot: true },
    { isLink: true },
    { inBundle: true },
    { inert: true },
    { resolved: null },
  ];
  await measured(MAX_NEEDED_BYTES + 1, none.map(node));
});
