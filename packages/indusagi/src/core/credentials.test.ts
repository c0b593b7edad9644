import { expect, test } from "vitest";
import { credentialsIn, isCredentialName, passwordIn } from "./credentials.ts";

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
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
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

test("an address is a credential by its password, whatever its name", () => {
  expect(passwordIn("postgres://app:Xk29fmQp@db:5432/main")).toBe("Xk29fmQp");
  expect(passwordIn("redis://:Xk29fmQp@cache")).toBe("Xk29fmQp");
  expect(passwordIn("https://user@example.org/a:b@c")).toBeUndefined();
});

test("the credentials of an environment are whole values by name, and passwords of addresses", () => {
  const env = {
    PATH: "/bin",
    MY_TOKEN: "canary",
    EMPTY_TOKEN: "",
    GONE_TOKEN: undefined,
    DATABASE_URL: "postgres://app:Xk29fmQp@db",
    APP_DSN: "https://public:private@errors.example.org/1",
  };
  expect(credentialsIn(env)).toEqual([
    { name: "MY_TOKEN", value: "canary" },
    { name: "DATABASE_URL", value: "Xk29fmQp" },
    { name: "APP_DSN", value: "https://public:private@errors.example.org/1" },
    { name: "APP_DSN", value: "private" },
  ]);
});

test("of a collector's headers each credential is one, as it is written and as it is sent", () => {
  const name = "OTEL_EXPORTER_OTLP_HEADERS";
  const value = "x-team=blue,x-honeycomb-team=abcdefghijklmnop,authorization=Bearer%20a%3Db,api-key=%zz";
  expect(credentialsIn({ [name]: value }).map((each) => each.value)).toEqual([
    ...[value, "abcdefghijklmnop", "Bearer%20a%3Db", "Bearer a=b", "a=b", "%zz"],
  ]);
});
