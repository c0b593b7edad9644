// Whether a WebAssembly module stays within what an addon may be: one bounded memory, one function of the host. Its
// sections are read as data and nothing is compiled, so the host can check a module that nobody trusts yet.

/** What a module may import: the one function through which it reaches the host. */
const WASM_IMPORT = { module: "indus", name: "host_call" } as const;
/** What it must export. */
export const WASM_EXPORTS = { memory: "memory", alloc: "indus_alloc", handle: "indus_handle" } as const;
export const WASM_PAGE_BYTES: number = 64 * 1024;

const MAGIC = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const MAX_ITEMS = 100_000;
const MAX_TABLE_ENTRIES = 100_000;
/** The most of a name that a message shows, in characters. */
const MAX_NAME_SHOWN = 200;
const SECTION = { import: 2, table: 4, memory: 5, export: 7 } as const;
const KIND = { function: 0, memory: 2 } as const;
const HAS_MAXIMUM = 1;
/** Any other flag means shared memory, 64-bit addresses or pages of another size. */
const KNOWN_LIMITS = 1;

/** What is wrong with a module, and how to build it correctly; undefined if it can be used. Never throws. */
export function checkWasm(bytes: Uint8Array, maxPages: number): string | undefined {
  try {
    if (MAGIC.some((byte, at) => bytes[at] !== byte)) return "it is not a WebAssembly module of version 1";
    readSections(bytes, maxPages);
    return undefined;
  } catch (error) {
    if (error instanceof Unusable) return error.message;
    throw error;
  }
}

class Unusable extends Error {}

function readSections(bytes: Uint8Array, maxPages: number): void {
  const reader = new SectionReader(bytes, MAGIC.length, bytes.length);
  let memories = 0;
  const exports = new Map<string, number>();
  while (!reader.isAtEnd()) {
    const id = reader.byte();
    const section = reader.part(reader.number());
    if (id === SECTION.import) checkImports(section);
    else if (id === SECTION.table) checkTables(section);
    else if (id === SECTION.memory) memories += checkMemories(section, maxPages);
    else if (id === SECTION.export) readExports(section, exports);
  }
  if (memories !== 1) throw new Unusable(`it must define one memory of its own; it defines ${memories}`);
  checkExport(exports, WASM_EXPORTS.memory, KIND.memory);
  checkExport(exports, WASM_EXPORTS.alloc, KIND.function);
  checkExport(exports, WASM_EXPORTS.handle, KIND.function);
}

function checkImports(section: SectionReader): void {
  const count = section.count();
  for (let at = 0; at < count; at += 1) {
    const module = section.text();
    const name = section.text();
    const isKnown =
      module === WASM_IMPORT.module && name === WASM_IMPORT.name && section.byte() === KIND.function;
    if (!isKnown || at > 0)
      throw new Unusable(
        `it imports ${JSON.stringify(`${module}.${name}`.slice(0, MAX_NAME_SHOWN))}; it may import only the function ${WASM_IMPORT.module}.${WASM_IMPORT.name}, ` +
          "once. Build it without WASI and without a host runtime",
      );
    section.number(); // the function's type
  }
}

function checkTables(section: SectionReader): void {
  const count = section.count();
  let entries = 0;
  for (let at = 0; at < count; at += 1) {
    const type = section.byte();
    if (type !== 0x70 && type !== 0x6f)
      throw new Unusable("it has a table of a type other than funcref and externref");
    const { max } = section.limits("table");
    if (max === undefined)
      throw new Unusable("it has a table without a maximum: build it without a growable table");
    entries += max;
  }
  if (entries > MAX_TABLE_ENTRIES)
    throw new Unusable(`its tables may grow to ${entries} entries; at most ${MAX_TABLE_ENTRIES} are allowed`);
}

function checkMemories(section: SectionReader, maxPages: number): number {
  const count = section.count();
  for (let at = 0; at < count; at += 1) {
    const { max } = section.limits("memory");
    const hint = `build it with one of at most ${maxPages} pages (${inMb(maxPages)}): asc --maximumMemory ${maxPages}, or for clang -Wl,--max-memory=${maxPages * WASM_PAGE_BYTES}`;
    if (max === undefined) throw new Unusable(`its memory has no maximum; ${hint}`);
    if (max > maxPages)
      throw new Unusable(
        `its memory may grow to ${max} pages (${inMb(max)}); ${hint}, or raise memory-mb in the manifest's [run]`,
      );
  }
  return count;
}

function readExports(section: SectionReader, exports: Map<string, number>): void {
  const count = section.count();
  for (let at = 0; at < count; at += 1) {
    const name = section.text();
    exports.set(name, section.byte());
    section.number();
  }
}

function checkExport(exports: ReadonlyMap<string, number>, name: string, kind: number): void {
  if (exports.get(name) !== kind)
    throw new Unusable(`it must export the ${kind === KIND.memory ? "memory" : "function"} "${name}"`);
}

function inMb(pages: number): string {
  return `${Math.round((pages * WASM_PAGE_BYTES) / (1024 * 1024))} MB`;
}

/** Reads the binary format's numbers, names and limits. Reading past the section's end throws {@link Unusable}. */
class SectionReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, from: number, end: number) {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = end;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  byte(): number {
    const byte = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
    if (byte === undefined) throw new Unusable("it is truncated or damaged");
    this.#at += 1;
    return byte;
  }

  /** An unsigned LEB128 number of at most 32 bits. */
  number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (value > 0xffff_ffff) break;
        return value;
      }
    }
    throw new Unusable("it contains a number that is too large");
  }

  /** How many items follow. */
  count(): number {
    const count = this.number();
    if (count > MAX_ITEMS)
      throw new Unusable(`it has a section of ${count} items; at most ${MAX_ITEMS} are allowed`);
    return count;
  }

  text(): string {
    const { start, end } = this.#take(this.number());
    return new TextDecoder().decode(this.#bytes.subarray(start, end));
  }

  limits(what: string): { readonly max: number | undefined } {
    const flags = this.byte();
    if (flags > KNOWN_LIMITS)
      throw new Unusable(`its ${what} is shared, has 64-bit addresses or a custom page size`);
    this.number();
    return { max: (flags & HAS_MAXIMUM) === 0 ? undefined : this.number() };
  }

  /** The next bytes as a section of their own. */
  part(length: number): SectionReader {
    const { start, end } = this.#take(length);
    return new SectionReader(this.#bytes, start, end);
  }

  #take(length: number): { readonly start: number; readonly end: number } {
    const start = this.#at;
    const end = start + length;
    if (end > this.#end) throw new Unusable("it is truncated or damaged");
    this.#at = end;
    return { start, end };
  }
}
