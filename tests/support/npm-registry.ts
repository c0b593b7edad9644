// npm's registry as whoever runs the tests reaches it, for the few tests that add packages of it.

import type { Finished } from "./indus.ts";

/** Variables of a run of the command that adds a package. */
export function registryEnvironment(): Readonly<Record<string, string>> {
  const { npm_config_registry, npm_config_cache, NODE_EXTRA_CA_CERTS, npm_config_userconfig, HOME } =
    process.env;
  const own = {
    npm_config_registry,
    npm_config_cache,
    NODE_EXTRA_CA_CERTS,
    npm_config_userconfig: npm_config_userconfig ?? (HOME === undefined ? undefined : `${HOME}/.npmrc`),
    npm_config_fetch_retries: "1",
  };
  return Object.fromEntries(
    Object.entries(own).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

/** Why the registry cannot be had from here, by npm's library; undefined if nothing says so. */
export function unreachableRegistry({ stderr }: Pick<Finished, "stderr">): string | undefined {
  const [problem] =
    /(?:ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|E40[137]|E5\d\d|CERT)/.exec(stderr) ??
    [];
  return problem === undefined ? undefined : `the registry cannot be reached (${problem})`;
}
