// What git's index names: nested repositories, which git enters to see whether they have changed, and follows their
// settings there; and folders, in which some of its commands go where links lead.
// https://git-scm.com/docs/index-format

const MAGIC = 0x44495243; // DIRC
/** Before the flags of an entry: its times, mode, owner and size, and a hash. */
const FIXED = 60;
const HASH = 20;
const ELSEWHERE = /^\/|(?:^|\/)\.\.?(?:\/|$)/;

/** Paths below the top. */
export interface IndexNames {
  readonly nested: readonly string[];
  readonly folders: readonly string[];
}

/** What git keeps of a regular file. */
export interface IndexedFile {
  readonly path: string;
  /** The hash of its content as a blob. */
  readonly blob: string;
}

/** `onFile` hears of each regular file. Throws for an index that git might read differently, or with which it would look elsewhere. */
export function namesInIndex(index: Uint8Array, onFile?: (file: IndexedFile) => void): IndexNames {
  const bytes = Buffer.from(index.buffer, index.byteOffset, index.length);
  const version = bytes.readUInt32BE(4);
  if (bytes.readUInt32BE(0) !== MAGIC || version < 2 || version > 4) throw new Error("unknown index format");
  const nested: string[] = [];
  const folders = new Set<string>();
  let [at, name] = [12, ""];
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const entry = at;
    const flags = bytes.readUInt16BE(entry + FIXED);
    at += FIXED + ((flags & 0x4000) === 0 ? 2 : 4);
    let kept = "";
    if (version === 4) {
      // The names of this version begin like the one before, but for so many bytes at its end.
      let cut = bytes.readUInt8(at) & 0x7f;
      while ((bytes.readUInt8(at++) & 0x80) !== 0) cut = (cut + 1) * 0x80 + (bytes.readUInt8(at) & 0x7f);
      kept = name.slice(0, name.length - cut);
    }
    const end = bytes.indexOf(0, at);
    name = kept + bytes.toString("latin1", at, end);
    if (end < 0 || Math.min(name.length, 0xfff) !== (flags & 0xfff) || ELSEWHERE.test(name))
      throw new Error("unknown index entry");
    folders.add(name.slice(0, Math.max(0, name.lastIndexOf("/"))));
    const kind = bytes.readUInt32BE(entry + 24) & 0xf000;
    if (kind === 0xe000) nested.push(utf8(name));
    // One of a conflict has several.
    if (kind === 0x8000 && (flags & 0x3000) === 0)
      onFile?.({ path: utf8(name), blob: bytes.toString("hex", entry + FIXED - HASH, entry + FIXED) });
    at = version === 4 ? end + 1 : entry + ((end - entry + 8) & ~7);
  }
  refuseOtherEntries(bytes, at);
  return { nested, folders: [...folders].map(utf8) };
}

/** Extensions in lower case, and a table of where the entries are, may say that there are others. */
function refuseOtherEntries(bytes: Buffer, start: number): void {
  const end = bytes.length - HASH;
  const isKnown = (at: number): boolean => /^[A-Z]/.test(bytes.toString("latin1", at, at + 4));
  let at = start;
  while (at + 8 <= end && isKnown(at)) at += 8 + bytes.readUInt32BE(at + 4);
  if (at !== end || bytes.subarray(-2 * HASH - 12).includes("EOIE"))
    throw new Error("unknown index extension");
}

function utf8(latin: string): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin, "latin1"));
}
