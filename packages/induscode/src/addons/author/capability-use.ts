// Whether anything in an addon's files uses the capabilities it requests: searches for the names of host requests, in the
// protocol and in both kits, and for the usual ways to access files. A text search can be wrong, so it only says what looks
// unused.

import { lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { readBoundedFile } from "indusagi/core";
import type { HostCapability } from "../../feature/descriptor.ts";
import { MAX_ADDON_BYTES } from "../source/content-hash.ts";

/** How to name a request that nothing seems to use, e.g. `files write`; undefined if something uses it. */
export function unusedPart(capability: HostCapability, sources: string): string | undefined {
  const { kind, ...facts } = capability;
  const uses = PART_USES[kind];
  if (uses) {
    const asked = Object.entries(facts).flatMap(([part, wanted]) => (wanted === true ? [part] : []));
    const unused = asked.filter((part) => !uses[part]?.test(sources));
    return unused.length === 0 ? undefined : `${kind} ${unused.join(" ")}`;
  }
  if (capability.kind === "secret")
    return sources.includes(capability.id) ? undefined : `secret ${capability.id}`;
  const use = USES[capability.kind];
  return use === undefined || use.test(sources) ? undefined : capability.kind;
}

const PART_USES: Readonly<Partial<Record<HostCapability["kind"], { readonly [Part in string]?: RegExp }>>> = {
  files: {
    read: /read_?file|\bnode:fs\b|["']fs["']|\bopen\b|\bpathlib\b|\bos\.(?:walk|listdir|scandir)\b/i,
    write:
      /write_?file|\bnode:fs\b|["']fs["']|\bopen\b|\bpathlib\b|\bos\.(?:replace|rename|mkdir|makedirs)\b/i,
    execute: /\bexec\b|\bchild_process\b|\bsubprocess\b|\bos\.(?:system|popen)\b|\bspawn\b/,
  },
  ui: {
    status: /\bstatus\b/,
    render: /\brender\b/,
    ask: /\b(?:select|confirm|input)\b/,
  },
  work_items: { read: /work_?item_?(?:list|changes)/i, write: /work_?item_?(?:create|comment|move|depend)/i },
  memory: { read: /memory_?search/i, write: /memory_?(?:add|replace)/i },
  sessions: { spawn: /session_?spawn/i, message: /session_?message/i, restore: /session_?restore/i },
};

/** Contributions are skipped: the actual registration is known and compared. */
const USES: Readonly<Partial<Record<HostCapability["kind"], RegExp>>> = {
  alert: /\balert\b|\bprogress\b/,
  model_notification: /\bnotify\b|\bsend_?message\b/i,
  network: /\bfetch\b/,
};

/** Files without code, which would only repeat what is asked for. */
const NOT_CODE = /(?:^manifest\.toml|expect\.toml|\.jsonl|\.md)$/;

/** The texts of an addon's own files joined into one, without its manifest. Throws the system's error. */
export function sourcesOf(root: string): string {
  const texts: string[] = [];
  const open = [root];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const info = lstatSync(path);
    if (info.isDirectory()) {
      for (const name of readdirSync(path)) if (name !== "node_modules") open.push(join(path, name));
    } else if (info.isFile() && !NOT_CODE.test(basename(path))) {
      // Latin-1 reads any byte; WebAssembly modules may store their texts in UTF-16, with a zero after each letter.
      const text = readBoundedFile(path, MAX_ADDON_BYTES).toString("latin1").replaceAll("\0", "");
      texts.push(text.replace(INLINE_MANIFEST, ""));
    }
  }
  return texts.join("\n");
}

const INLINE_MANIFEST = /^(?:\/\/|#) \/\/\/ indus-addon[\s\S]*?^(?:\/\/|#) \/\/\/\s*$/m;
