// Which pictures and documents can be shown to a model. Recognised by their bytes: a name says nothing about the content, and text
// may begin as a picture does.

/** As base64 this grows by a third, to the five megabytes that the strictest provider accepts. */
export const MAX_PICTURE_BYTES = 3_750_000;

/** The most pages that every provider with document support accepts. */
export const MAX_PAGES = 100;

export const PDF = "application/pdf";

export interface Picture {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

const BEGINNINGS: readonly (readonly [mediaType: string, begins: RegExp])[] = [
  ["image/png", /^\x89PNG\r\n\x1a\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF.{4}WEBP/s],
  [PDF, /^%PDF-\d/],
];

/** `bytes` as a picture or document of a kind that providers accept; undefined for anything else. */
export function pictureIn(bytes: Uint8Array): Picture | undefined {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const opening = content.toString("latin1", 0, 16);
  const [mediaType] = BEGINNINGS.find(([, begins]) => begins.test(opening)) ?? [];
  if (mediaType === undefined) return undefined;
  // Every picture has a NUL in the sizes at its start, and every PDF has objects, which may be all plain text.
  const isText = mediaType === PDF ? !/\d \d+ obj\b/.test(content.toString("latin1")) : !content.includes(0);
  return isText ? undefined : { mediaType, bytes };
}
