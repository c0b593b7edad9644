// Small PDFs: with pages as plain objects, or in a compressed object stream.

import { deflateSync } from "node:zlib";

const HEAD = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n";
const page = (at: number): string => `${at} 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n`;

/** A document with this many pages. */
export function pdf(pages: number, isPacked = false): Buffer {
  const objects = Array.from({ length: pages }, (_, at) => page(at + 3)).join("");
  const root = `1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count ${pages} >>\nendobj\n`;
  const body = isPacked
    ? [
        `9 0 obj\n<< /Type /ObjStm /Filter /FlateDecode >>\nstream\r\n`,
        deflateSync(objects),
        "\nendstream\nendobj\n",
      ]
    : [objects];
  const parts = [HEAD, root, ...body, "trailer\n<< /Root 1 0 R >>\n%%EOF\n"];
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));
}
