// The library's errors quote its validator's findings as JSON: they become a sentence.

import { isTable } from "../table-value.ts";

const MAX_FINDINGS = 3;

const UNAUTHORIZED = 401;

/** Whether a server over HTTP wants a login, or takes the one that it was given no more. */
export function isUnauthorized(error: unknown): boolean {
  if (!(error instanceof Error) || error.name === "ProtocolError") return false; // that is an answer, whatever it holds
  const { status, data } = error as { readonly status?: unknown; readonly data?: unknown };
  const isRefused = status === UNAUTHORIZED || (isTable(data) && data.status === UNAUTHORIZED);
  return isRefused || error.name === "UnauthorizedError" || isUnauthorized(error.cause);
}

/** An error in words for a person or a model. `name`: what the person calls the server. */
export function plainWords(error: unknown, name = "NAME"): string {
  if (isUnauthorized(error)) return `the server wants a login: indus mcp login ${name}`;
  const message = error instanceof Error ? error.message : String(error);
  const from = message.search(/\[\s*\{/);
  const findings = from < 0 ? undefined : findingsIn(message.slice(from));
  if (findings === undefined) return message;
  const before = message.slice(0, from).trim() || "the server's answer does not follow the protocol:";
  return `${before} ${findings.join("; ")}`;
}

function findingsIn(json: string): readonly string[] | undefined {
  let found: unknown;
  try {
    found = JSON.parse(json);
  } catch {
    return undefined; // some other text with brackets
  }
  if (!Array.isArray(found)) return undefined;
  const findings = found.flatMap((each) => {
    if (!isTable(each) || typeof each.message !== "string") return [];
    const place = Array.isArray(each.path) && each.path.length > 0 ? `${each.path.join(".")}: ` : "";
    return [place + each.message];
  });
  return findings.length === 0 ? undefined : findings.slice(0, MAX_FINDINGS);
}
