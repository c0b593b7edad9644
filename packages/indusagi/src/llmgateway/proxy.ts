// The proxy for models that the person's environment names, read as other programs do: HTTPS_PROXY, HTTP_PROXY, NO_PROXY, also in
// lower case. A server on this machine is asked directly.

/** Variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

const NAMES = ["https_proxy", "http_proxy", "no_proxy"] as const;
const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** The `proxyEnv` option of Node's agents for an address; undefined if no proxy is set for it. */
export function proxyEnvFor(url: URL, env: Environment): Readonly<Record<string, string>> | undefined {
  if (LOOPBACK.test(url.hostname) || proxyNameFor(url, env) === undefined) return undefined;
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = (env[name] || env[name.toUpperCase()] || "").trim();
      return value === "" ? [] : [[name, value] as const];
    }),
  );
}

/** The variable that names an address's proxy, for messages: its value may hold a password. */
export function proxyNameFor(url: URL, env: Environment): string | undefined {
  const name = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  return [name, name.toUpperCase()].find((each) => (env[each] ?? "").trim() !== "");
}
