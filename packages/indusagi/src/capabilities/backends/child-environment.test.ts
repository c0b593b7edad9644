import { expect, test } from "vitest";
import { childEnvironment, isCredentialName } from "./child-environment.ts";

test("names that hold credentials are known, whoever invented them", () => {
  const names = [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "anthropic_auth_token",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SESSION_TOKEN",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GITHUB_PAT",
    "NPM_TOKEN",
    "npm_config_//host/:_authToken",
    "PGPASSWORD",
    "MYSQL_PWD",
    "DB_PASS",
    "SSH_PASSPHRASE",
    "STRIPE_KEY",
    "CLIENT_SECRET",
    "DJANGO_SECRET_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "INDUS_API_KEY",
    "HF_TOKEN",
    "APIKEY",
    "VAULT_TOKEN",
    "SECRET",
  ];
  expect(names.filter((name) => !isCredentialName(name))).toEqual([]);
});

test("what commands need to work is not taken for a credential", () => {
  const names = [
    "PATH",
    "HOME",
    "PWD",
    "OLDPWD",
    "SHELL",
    "TERM",
    "LANG",
    "SSH_AUTH_SOCK",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "MAX_TOKENS",
    "TOKENIZERS_PARALLELISM",
    "KEYBOARD",
    "XAUTHORITY",
    "GIT_AUTHOR_NAME",
    "PASSENGER_HOME",
    "INDUS_HOME",
    "DATABASE_URL",
    "COMPASS",
  ];
  expect(names.filter(isCredentialName)).toEqual([]);
});

test("a child inherits the rest, and the overlay wins", () => {
  const inherited = { PATH: "/bin", MY_TOKEN: "canary", EMPTY: "", GONE: undefined };
  expect(childEnvironment(inherited, { PATH: "/x", GRANTED_TOKEN: "on purpose" })).toEqual({
    PATH: "/x",
    EMPTY: "",
    GRANTED_TOKEN: "on purpose",
  });
});
