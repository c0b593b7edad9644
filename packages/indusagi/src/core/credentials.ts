// Which variables of an environment hold a credential. Names decide, because a rule by name can be read and predicted; of
// values, only an address with a password in it is taken for one.

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

// Some names run their words together (PGPASSWORD, npm's :_authToken); MAX_TOKENS and SSH_AUTH_SOCK stay.
const SECRET_SHAPE =
  /password|(?:api|auth|access|secret|private|signing|encryption)_?(?:key|token)|(?:^|_)key$|secret$|token$|_(?:pw|dsn|auth_config)$/;

/** True when a variable of this name is taken for a credential. Case does not matter. */
export function isCredentialName(name: string): boolean {
  const lower = name.toLowerCase();
  if (SECRET_NAMES.has(lower) || SECRET_SHAPE.test(lower)) return true;
  return lower.split("_").some((word) => SECRET_WORDS.has(word));
}

const ADDRESS_WITH_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:([^/?#\s@]+)@/i;

/** The password of an address such as `postgres://user:secret@host`, under whatever name; undefined in anything else. */
export function passwordIn(value: string): string | undefined {
  return ADDRESS_WITH_PASSWORD.exec(value)?.[1];
}

/** A variable, or a part of it, that must be shown to nobody. */
export interface Credential {
  readonly name: string;
  readonly value: string;
}

/** The credentials of an environment: each variable that is named as one, and the password of each address. */
export function credentialsIn(env: Readonly<Record<string, string | undefined>>): readonly Credential[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined || value === "") return [];
    const password = passwordIn(value);
    return [
      ...(isCredentialName(name) ? [{ name, value }] : []),
      ...(password === undefined ? [] : [{ name, value: password }]),
    ];
  });
}
