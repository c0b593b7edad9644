import { describe, expect, it } from "vitest";
import type { FolderDoc, FolderDocsLoad } from "../briefing/docs-reading.ts";
import type { ShownDoc } from "../briefing/shown-docs.ts";
import type { ConductorEvent, Entry } from "../conductor/contract.ts";
import { createDocumentNotices } from "./document-notices.ts";

const doc = (name: string, bytes = 10): FolderDoc => ({
  path: `./${name}/AGENTS.md`,
  body: name.repeat(bytes / name.length),
  source: `/w/${name}/AGENTS.md`,
  folder: `/w/${name}`,
  digest: name,
});

function notices(load: Partial<FolderDocsLoad>) {
  const sent: {
    readonly text: string;
    readonly paths: readonly string[];
    readonly maxBytes?: number | undefined;
  }[] = [];
  const told: string[] = [];
  const recalled: (readonly ShownDoc[])[] = [];
  const found = { docs: [], diagnostics: [], ...load };
  const visited: string[] = [];
  const documents = createDocumentNotices({
    cwd: "/w",
    docs: {
      touched: (path) => {
        visited.push(path);
        return found;
      },
      again: () => found,
      recall: (shown) => void recalled.push([...shown]),
      isDocument: () => false,
      files: () => [],
    },
    notify(_origin, text, { maxBytes, documents: shown = [] } = {}) {
      sent.push({ text, paths: shown.map(({ path }) => path), maxBytes });
      return true;
    },
    tell: (line) => void told.push(line),
  });
  let listener: (event: ConductorEvent) => void = () => undefined;
  documents.follow({
    subscribe: (heard) => {
      listener = heard;
      return () => undefined;
    },
  });
  const logged = (entry: object): void =>
    listener({ kind: "entry", entry: { n: 1, at: 1, ...entry } as Entry });
  return { documents, sent, told, recalled, visited, logged };
}

describe("the documents of a folder", () => {
  it("are one notice that names them, and none where there are none", () => {
    const { documents, sent } = notices({ docs: [doc("a"), doc("b")] });
    documents.visit("/w/a/x");
    expect(sent).toMatchObject([
      {
        text: "## ./a/AGENTS.md\naaaaaaaaaa\n\n## ./b/AGENTS.md\nbbbbbbbbbb",
        paths: ["/w/a/AGENTS.md", "/w/b/AGENTS.md"],
      },
    ]);
    const none = notices({});
    none.documents.visit("/w/a/x");
    expect(none.sent).toEqual([]);
  });

  it("are as many notices as keep each of them whole", () => {
    const { documents, sent } = notices({ docs: [doc("a", 40_000), doc("b", 40_000), doc("c", 1_000)] });
    documents.visit("/w/a/x");
    expect(sent.map(({ paths }) => paths.length)).toEqual([1, 2]);
    for (const { text, maxBytes = 0 } of sent) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
  });

  it("are shown again when a summary takes them out of view, and forgotten when the view is cleared", () => {
    const { sent, recalled, logged } = notices({ docs: [doc("a")] });
    logged({ type: "summary", origin: "host", text: "s" });
    expect(sent).toHaveLength(1);
    logged({ type: "clear" });
    expect(recalled).toEqual([[]]);
    logged({ type: "end", how: "complete" });
    expect([sent.length, recalled.length]).toEqual([1, 1]);
  });

  it("are looked for where a tool has used something, by the arguments that it got, and not where it failed", () => {
    const { visited, logged } = notices({});
    const call = (id: string, path: string) => ({ kind: "tool_call", id, name: "read", input: { path } });
    logged({
      type: "assistant",
      message: { role: "assistant", content: [call("1", "a/x"), call("2", "b/x")] },
    });
    logged({ type: "tool", callId: "1", name: "read", state: "ok", text: "" });
    logged({ type: "tool", callId: "2", name: "read", state: "failed", text: "" });
    logged({ type: "tool", callId: "2", name: "read", state: "ok", text: "", input: { path: "/w/c/x" } });
    logged({ type: "tool", callId: "3", name: "ls", state: "ok", text: "" });
    expect(visited).toEqual(["/w/a/x", "/w/c/x"]);
  });

  it("say to the person what could not be used of them", () => {
    const diagnostics = [
      { kind: "refused", path: "/w/a/AGENTS.md", message: "./a/AGENTS.md was not read" },
    ] as const;
    const { documents, told } = notices({ diagnostics });
    documents.visit("/w/a/x");
    expect(told).toEqual(["./a/AGENTS.md was not read"]);
  });
});
