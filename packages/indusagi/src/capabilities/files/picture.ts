// Which pictures and documents a model can be shown, recognised by how they begin: a name says nothing about what is in a file.

/** Four thirds of it, as base64, are the five megabytes that the strictest provider takes. */
export const MAX_PICTURE_BYTES = 3_750_000;

/** The most that every provider takes which takes documents. */
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

/** `bytes` as a picture or a document of a kind that providers take; undefined for anything else. */
export function pictureIn(bytes: Uint8Array): Picture | undefined {
  const opening = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(16, bytes.length)).toString("latin1");
  const [mediaType] = BEGINNINGS.find(([, begins]) => begins.test(opening)) ?? [];
  return mediaType === undefined ? undefined : { mediaType, bytes };
}
