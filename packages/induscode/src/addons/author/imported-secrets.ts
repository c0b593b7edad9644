// The values of an MCP server's configuration in another agent's file. What is a secret there, or stands for one, is a secret that the
// addon requests: it is never copied. What else a value refers to is said.

import { isCredentialName, passwordIn } from "indusagi/core";
import { isTable, type Note, type Table, VARIABLE } from "./imported-shapes.ts";

export interface ImportedValues {
  /**
   * The value as the manifest has it; undefined if it cannot have it. `name` is what it is called (a variable, a header, an option), `own`
   * the variable of a secret that has no name yet.
   */
  readonly take: (name: string, value: string, own: string) => string | undefined;
  /** Requests the secret that this variable holds. */
  readonly request: (variable: string) => string;
  /** The variables that were requested. */
  readonly secrets: ReadonlySet<string>;
}

/** `${NAME}`, `${env:NAME}`, `${NAME:-text}`, OpenCode's `{env:NAME}` and `{file:path}`. */
const REFERENCE = /\$\{([^{}]{1,4096})\}|\{((?:env|file):[^{}]{1,4096})\}/g;
/** What editors and agents put in themselves, and what every process has: none of these is a secret, nor known here. */
const PLACES =
  /^(?:workspaceFolder.*|workspaceRoot|userHome|cwd|execPath|pathSeparator|\/|extensionPath|(?:relative)?[fF]ile[A-Z]?\w*|file|CLAUDE_\w+|HOME|PWD|USER|PATH|TMPDIR)$/;
/** What is known when the server starts. */
const KNOWN_THEN = /^(?:workspace(?:Folder|Root)|(?:CLAUDE_)?PLUGIN_(?:ROOT|DATA))$/;
/** Words before the secret itself in a header. */
const SCHEME = /^(?:bearer|basic|token|apikey|key)\s+/i;
/** `MAX_TOKENS=4096`, `USE_TOKEN=true`. */
const PLAIN = /^(?:true|false|yes|no|on|off|none|\d{1,6})?$/i;
/** As the services write their keys. */
const KEY_PREFIX =
  /^(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|npm|pypi|hf|ntn|lin_api|dop_v1|shp[a-z]{2}|secret|key|pat|SG|AKIA\w|ASIA\w|AIza|ya29|eyJ)[-_.A-Za-z0-9]{12,}$/;
/** Twenty characters without a word of people among them. */
const LONG_RANDOM = /[A-Za-z0-9+/_=]{20,}/;

/** Whether a value is, or may be, something that only its owner should read. In doubt it is. */
export function isSecretValue(name: string, value: string): boolean {
  const text = value.replace(SCHEME, "");
  if (PLAIN.test(text)) return false;
  return isSecretName(name) || looksLikeKey(text);
}

function isSecretName(name: string): boolean {
  const plain = name.replace(/^-+/, "").replace(/[-.]/g, "_");
  return isCredentialName(plain) || /auth(?:orization)?$|cookie|passw|secret|token$|_key$/i.test(plain);
}

function looksLikeKey(text: string): boolean {
  if (passwordIn(text) !== undefined || text.includes("-----BEGIN")) return true;
  if (text.split(/[/?&=#\s]/).some((part) => KEY_PREFIX.test(part))) return true;
  if (/^(?:[/~.@]|[A-Za-z]:\\)/.test(text)) return false; // a path, or the name of a package
  return (text.includes("://") ? text.split(/[/?&=#]/).slice(3) : [text]).some(isRandom);
}

function isRandom(part: string): boolean {
  const [run = ""] = LONG_RANDOM.exec(part.replaceAll("-", "")) ?? [];
  return /\d/.test(run) && /[A-Za-z]/.test(run) && (run.match(/\d/g) ?? []).length >= 3;
}

/**
 * A server's table without the values that only their owner should read: in place of each stands the secret that the server then requests.
 * `told` gets a line for each.
 */
export function withoutSecretValues(server: string, table: Table, told: Note): Table {
  const kept: Record<string, unknown> = { ...table };
  for (const [key, ownName] of Object.entries(VALUE_TABLES)) {
    const values = createImportedValues((text) => told(`${server}: ${text}`));
    const given = table[key];
    if (!isTable(given)) continue;
    kept[key] = Object.fromEntries(
      Object.entries(given).map(([name, value]) => {
        const isOwners =
          typeof value === "string" && value.search(REFERENCE) < 0 && isSecretValue(name, value);
        return [name, isOwners ? values.take(name, value, ownName(server, name)) : value];
      }),
    );
  }
  return kept;
}

/** Where a server's table has values, each with the variable of a secret that has no name yet. */
const VALUE_TABLES: Readonly<Record<string, (server: string, name: string) => string>> = {
  env: (_, name) => name,
  environment: (_, name) => name,
  headers: variableFor,
  http_headers: variableFor,
};

export function createImportedValues(note: Note): ImportedValues {
  const secrets = new Set<string>();
  const request = (variable: string): string => {
    secrets.add(variable);
    return `\${${variable}}`;
  };

  /** The text in place of a reference; undefined if nothing can be. */
  function resolve(whole: string, inner: string, name: string, own: string): string | undefined {
    const [head = "", ...rest] = inner.replace(/^env:/, "").split(":-");
    const given = rest.length > 0 ? rest.join(":-") : undefined;
    if (inner.startsWith("input:")) {
      note(
        `${name}: the other agent asks the user for ${whole}; in indus it is the secret ${own}. Set that variable before you start indus`,
      );
      return request(own);
    }
    if (KNOWN_THEN.test(inner)) return `\${${inner}}`;
    if (head === "HOME") {
      note(`\${HOME} in ${name} is the server's own folder, the only home that it has here`);
      return `\${${head}}`;
    }
    if (PLACES.test(head) || !VARIABLE.test(head)) {
      note(`write the value of ${name} into the manifest: indus does not know ${whole}`);
      return undefined;
    }
    if (given === undefined) return request(head);
    if (isSecretValue(head, given) || isSecretName(head)) {
      note(
        `${name}: the default for an unset ${head} is not imported, and without ${head} the server is not started`,
      );
      return request(head);
    }
    note(`${name} is always ${JSON.stringify(given)}, the default in ${whole}: indus does not read ${head}`);
    return given;
  }

  return {
    secrets,
    request,
    take(name, value, own) {
      const [, dollar] = /^\$([A-Za-z_][A-Za-z0-9_]{0,99})$/.exec(value) ?? [];
      if (dollar !== undefined) return request(dollar);
      let isLost = false;
      let hasReference = false;
      const text = value.replace(REFERENCE, (whole, braced?: string, bare?: string) => {
        hasReference = true;
        const resolved = resolve(whole, braced ?? bare ?? "", name, own);
        isLost ||= resolved === undefined;
        return resolved ?? "";
      });
      if (isLost) return undefined;
      const isSecret = hasReference
        ? isSecretValue("", value.replace(REFERENCE, ""))
        : isSecretValue(name, value);
      if (!isSecret) return text;
      const [scheme = ""] = SCHEME.exec(value) ?? [];
      const without = scheme === "" ? "" : ` without "${scheme.trim()}"`;
      note(
        `the value of ${name} may be a secret, so it is not copied: the addon requests the secret ${own}. Set that variable to the value${without} before you start indus, as in export ${own}=…; if it is not a secret, write it into the manifest`,
      );
      return scheme + request(own);
    },
  };
}

/** A variable for a secret of the server `server` that has none: `TICKETS_AUTHORIZATION`. */
export function variableFor(server: string, name: string): string {
  const words = `${server}_${name.replace(/^-+/, "")}`;
  return words
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^(?=\d)/, "_")
    .slice(0, 64);
}
