// The values of an MCP server's configuration in another agent's file. What is a secret there, or stands for one, is a secret that the
// addon requests: it is never copied. What else a value refers to is said.

import { isCredentialName, passwordIn } from "indusagi/core";
import { type Note, VARIABLE } from "./imported-shapes.ts";

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

/** Keeps a value for its owner, and returns the name under which it is kept: `wanted`, or one like it where that is another's. */
export type KeepSecret = (wanted: string, value: string) => string;

/** Whether a text refers to something else, such as a variable. */
export function hasReference(text: string): boolean {
  return text.search(REFERENCE) >= 0;
}

/** Without `keep`, the person has to set the variable of each value that is not copied. */
export function createImportedValues(note: Note, keep?: KeepSecret): ImportedValues {
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
    note(
      `${name}: ${head} is read from your environment when the server starts; without it, it is ${JSON.stringify(given)}`,
    );
    return `\${${head}:-${given}}`;
  }

  return {
    secrets,
    request,
    take(name, value, own) {
      const [, dollar] = /^\$([A-Za-z_][A-Za-z0-9_]{0,99})$/.exec(value) ?? [];
      if (dollar !== undefined) return request(dollar);
      let isLost = false;
      let refers = false;
      const text = value.replace(REFERENCE, (whole, braced?: string, bare?: string) => {
        refers = true;
        const resolved = resolve(whole, braced ?? bare ?? "", name, own);
        isLost ||= resolved === undefined;
        return resolved ?? "";
      });
      if (isLost) return undefined;
      const isSecret = refers ? isSecretValue("", value.replace(REFERENCE, "")) : isSecretValue(name, value);
      if (!isSecret) return text;
      const [scheme = ""] = SCHEME.exec(value) ?? [];
      if (keep !== undefined && !refers) {
        const id = keep(own, value.slice(scheme.length));
        note(
          `the value of ${name} may be a secret: it is kept for you as the secret ${id}, which the addon requests, and is no part of its files`,
        );
        return scheme + request(id);
      }
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
