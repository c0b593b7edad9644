// Chooses the search provider: the person's choice, else the first one with a key, else DuckDuckGo.

import type { Environment, SearchEndpoints, SearchProvider } from "./contract.ts";
import { apiProvider, SEARCH_APIS, type SearchApi } from "./search-apis.ts";
import { DUCKDUCKGO_URL, duckduckgoProvider } from "./search-duckduckgo.ts";

/** Selects a provider by name: duckduckgo, brave, tavily, exa or searxng. */
const SEARCH_VARIABLE = "INDUS_SEARCH";

/** The provider selected by `env`, or what is wrong with the selection. The message contains no key. */
export function chooseSearchProvider(
  env: Environment,
  endpoints: SearchEndpoints = {},
): SearchProvider | string {
  const chosen = env[SEARCH_VARIABLE]?.trim().toLowerCase() ?? "";
  const named = SEARCH_APIS.find(({ id }) => id === chosen);
  if (chosen !== "" && chosen !== "duckduckgo" && named === undefined) {
    const names = ["duckduckgo", ...SEARCH_APIS.map(({ id }) => id)].join(", ");
    return `${SEARCH_VARIABLE} is "${chosen.slice(0, 40)}". Set it to one of ${names}, or unset it.`;
  }
  const api =
    chosen === "duckduckgo" ? undefined : (named ?? SEARCH_APIS.find((one) => keyOf(one, env) !== ""));
  if (api === undefined) return duckduckgoProvider(endpoints.duckduckgo ?? DUCKDUCKGO_URL);

  const key = keyOf(api, env);
  if (key === "")
    return `${SEARCH_VARIABLE} is ${api.id}, but ${api.variable} is not set. Set it, or choose another.`;
  const problem = keyProblem(api, key);
  return problem ?? apiProvider(api, key, endpoints[api.id] ?? api.endpoint(key));
}

function keyOf({ variable }: SearchApi, env: Environment): string {
  return env[variable]?.trim() ?? "";
}

function keyProblem({ isAddress, variable }: SearchApi, key: string): string | undefined {
  if (isAddress) {
    return URL.canParse(key) && /^https?:$/.test(new URL(key).protocol)
      ? undefined
      : `${variable} is not an http(s) URL. Set it to one, such as http://localhost:8080.`;
  }
  return /^[\x21-\x7e]+$/.test(key)
    ? undefined
    : `${variable} contains characters that a key cannot have (whitespace, control or non-ASCII characters). Set it again.`;
}
