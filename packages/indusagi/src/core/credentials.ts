// Which environment variables hold a credential. Decided by name, because a rule by name can be read and predicted; the only
// values that count are addresses with a password in them.

const SECRET_WORDS: ReadonlySet<string> = new Set([
  "apikey",
  "credential",
  "credentials",
  "pass",
  "passphrase",
  "passwd",
  "pat",
  "secret",
  "secrets",
  "token",
]);

const SECRET_NAMES: ReadonlySet<string> = new Set([
  "mysql_pwd",
  "npm_config__auth",
  "rediscli_auth",
  "sshpass",
]);

// Some names have no separators (PGPASSWORD, npm's :_authToken); MAX_TOKENS and SSH_AUTH_SOCK are not matched.
const SECRET_SHAPE =
  /password|(?:api|auth|access|secret|private|signing|encryption)_?(?:key|token)|(?:^|_)key$|secret$|token$|_(?:pw|dsn|auth_config)$/;

/** OpenTelemetry's, of all signals or of one: `name=value,name=value`, percent-encoded. */
const COLLECTOR_HEADERS = /^otel_exporter_otlp_(?:[a-z]+_)?headers$/i;

/** True when a variable of this name is treated as a credential. Case-insensitive. */
export function isCredentialName(name: string): boolean {
  const lower = name.toLowerCase();
  if (SECRET_NAMES.has(lower) || SECRET_SHAPE.test(lower) || COLLECTOR_HEADERS.test(name)) return true;
  return lower.split("_").some((word) => SECRET_WORDS.has(word));
}

const ADDRESS_WITH_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:([^/?#\s@]+)@/i;

/** The password in an address such as `postgres://user:secret@host`, whatever the variable is called; undefined for anything else. */
export function passwordIn(value: string): string | undefined {
  return ADDRESS_WITH_PASSWORD.exec(value)?.[1];
}

/** A variable, or part of its value, that must never be shown. */
export interface Credential {
  readonly name: string;
  readonly value: string;
}

/** The credentials in an environment: every variable named as one, and the password of every address. */
export function credentialsIn(env: Readonly<Record<string, string | undefined>>): readonly Credential[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || value === "") return [];
    const password = passwordIn(value);
    return [
      ...(isCredentialName(name) ? [{ name, value }] : []),
      ...(password === undefined ? [] : [{ name, value: password }]),
      ...(COLLECTOR_HEADERS.test(name) ? headerValues(value).map((part) => ({ name, value: part })) : []),
    ];
  });
}

const CREDENTIAL_HEADER = /auth|key|token|secret|cookie/i;
/** Of any other header, a value this long is taken for one: vendors name the header with their key as they like. */
const LONG_VALUE = 16;

/** Whether the value of a header of this name is a credential. */
export function isCredentialHeader(name: string): boolean {
  return CREDENTIAL_HEADER.test(name);
}

/** Each credential among the headers, as it is written and as it is sent, also without the word for its kind. */
function headerValues(headers: string): readonly string[] {
  return headers.split(",").flatMap((pair) => {
    const [header = "", ...rest] = pair.split("=");
    const written = rest.join("=").trim();
    if (!isCredentialHeader(header) && written.length < LONG_VALUE) return [];
    const sent = decoded(written);
    return [...new Set([written, sent, sent.replace(/^(?:bearer|basic|api-key)\s+/i, "")])].filter(Boolean);
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // it is sent to nobody
  }
}
