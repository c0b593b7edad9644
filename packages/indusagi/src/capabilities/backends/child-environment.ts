// What a command inherits: the person's own environment minus known credentials. Everything else passes, also
// LD_PRELOAD, NODE_OPTIONS and INDUS_* settings, because these are the person's commands in the person's shell;
// addons get an allow-list elsewhere. Names decide, because a rule by name can be read and predicted; of values, only an
// address with a password in it is taken for a credential.

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
const SECRET_SHAPES: readonly RegExp[] = [
  /password/,
  /(api|auth|access|secret|private|signing|encryption)_?(key|token)/,
  /_key$/,
  /^key$/,
  /secret$/,
  /token$/,
  /_(pw|dsn|auth_config)$/,
];

/** True when a variable of this name is taken for a credential. Case does not matter. */
export function isCredentialName(name: string): boolean {
  const lower = name.toLowerCase();
  if (SECRET_NAMES.has(lower) || SECRET_SHAPES.some((shape) => shape.test(lower))) return true;
  return lower.split("_").some((word) => SECRET_WORDS.has(word));
}

/**
 * The environment for a child: `inherited` without credentials and without the `withheld` names, then `overlay`, which
 * may bring some on purpose.
 */
export function childEnvironment(
  inherited: NodeJS.ProcessEnv,
  overlay: Readonly<Record<string, string>> = {},
  withheld: ReadonlySet<string> = NONE,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value === undefined || isCredentialName(name) || withheld.has(name) || holdsPassword(value)) continue;
    env[name] = value;
  }
  return Object.assign(env, overlay);
}

const NONE: ReadonlySet<string> = new Set();

// `postgres://user:secret@host` and its like, under whatever name.
function holdsPassword(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:[^/?#\s@]+@/i.test(value);
}
