// A self-contained page: its policy allows no scripts, styles, pictures or addresses but its own.

import { createHash } from "node:crypto";
import { printable } from "indusagi/core";
import { pageStyle } from "./page-style.ts";

interface Behaviour {
  readonly script?: string;
  /** The script may ask the server that the page comes from. */
  readonly connects?: boolean;
}

/** `title` and `body` must already be markup. */
export function framed(title: string, body: string, { script = "", connects }: Behaviour = {}): string {
  const style = pageStyle();
  const scripts = script === "" ? "'none'" : `'${digest(script)}'`;
  const connections = connects ? " connect-src 'self';" : "";
  const policy = `default-src 'none';${connections} style-src '${digest(style)}'; script-src ${scripts}; img-src data:; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
${body}
${script === "" ? "" : `<script>${script}</script>\n`}</body>
</html>
`;
}

/** Escapes any text: none of it becomes markup. */
export function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (found) => ENTITIES[found] ?? found);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function digest(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
