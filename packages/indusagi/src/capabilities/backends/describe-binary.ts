// One line about data that is not shown.

/** How much of its beginning is looked at. */
export const SAMPLE_BYTES = 4_096;

const TYPES: readonly (readonly [begins: RegExp, type: string])[] = [
  [/^\x89PNG\r\n\x1a\n/, "PNG picture"],
  [/^\xff\xd8\xff/, "JPEG picture"],
  [/^GIF8[79]a/, "GIF picture"],
  [/^RIFF.{4}WEBP/s, "WebP picture"],
  [/^%PDF-/, "PDF document"],
  [/^\x7fELF/, "ELF program"],
  [/^MZ/, "Windows program"],
  [/^(?:\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe)/, "Mach-O program or Java class"],
  [/^\0asm/, "WebAssembly"],
  [/^PK\x03\x04/, "ZIP archive"],
  [/^\x1f\x8b/, "gzip data"],
  [/^BZh/, "bzip2 data"],
  [/^\xfd7zXZ\0/, "xz data"],
  [/^\x28\xb5\x2f\xfd/, "Zstandard data"],
  [/^SQLite format 3\0/, "SQLite database"],
  [/^(?:\xff\xfe|\xfe\xff)/, "UTF-16 text"],
  [/^\0+$/, "zeros"],
];

const MAX_TEXTS = 4;
const MAX_TEXT_CHARS = 60;

/** `[binary output, 8192 bytes, not shown: ELF program; …]`. `sample` is the beginning. */
export function describeBinary(sample: Buffer, bytes: number): string {
  const beginning = sample.toString("latin1");
  const [, type] = TYPES.find(([begins]) => begins.test(beginning)) ?? [];
  const texts = [...beginning.matchAll(/[ -~]{6,}/g)]
    .slice(0, MAX_TEXTS)
    .map(([text]) => JSON.stringify(text.slice(0, MAX_TEXT_CHARS)));
  const facts = [
    ...(type === undefined ? [] : [type]),
    ...(texts.length === 0 ? [] : [`begins with the texts ${texts.join(", ")}`]),
    "to keep it, write it to a file",
  ];
  return `[binary output, ${bytes} bytes, not shown: ${facts.join("; ")}]`;
}
