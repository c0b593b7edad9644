// The proxy for models that the person's environment names, read as other programs do: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and
// NO_PROXY, also in lower case. A server on this machine is asked directly.

/** Variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** A proxy that is named and cannot be used. Nothing is then sent, neither through it nor past it. */
export class UnusableProxy extends Error {
  override readonly name: string = "UnusableProxy";
}

/** The `proxyEnv` option of Node's agents for an address; undefined if it is asked directly. Throws an {@link UnusableProxy}. */
export function proxyEnvFor(url: URL, env: Environment): Readonly<Record<string, string>> | undefined {
  const name = proxyNameFor(url, env);
  if (name === undefined) return undefined;
  const problem = proxyProblem(name, env);
  if (problem !== undefined) throw new UnusableProxy(problem);
  return { [url.protocol === "https:" ? "https_proxy" : "http_proxy"]: addressIn(name, env) };
}

/** The variable that names an address's proxy, for messages: its value may hold a password. Undefined if it is asked directly. */
export function proxyNameFor(url: URL, env: Environment): string | undefined {
  if (LOOPBACK.test(url.hostname) || isListed(url, env)) return undefined;
  return proxyNames(
    url.protocol === "https:" ? ["https_proxy", "all_proxy"] : ["http_proxy", "all_proxy"],
    env,
  )[0];
}

/** Those of the variables that are set, each in the spelling that counts. */
export function proxyNames(names: readonly string[], env: Environment): readonly string[] {
  return names.flatMap((name) => [name, name.toUpperCase()].find((each) => env[each]?.trim()) ?? []);
}

/** What is wrong with the proxy that a variable names, in words that do not quote it; undefined if it can be used. */
export function proxyProblem(name: string, env: Environment): string | undefined {
  const expected = "expected an address like http://proxy.example:3128";
  const url = URL.parse(addressIn(name, env));
  if (!url?.hostname) return `${name} is not a proxy address: ${expected}`;
  if (url.protocol === "http:" || url.protocol === "https:") return undefined;
  return `${name} has the scheme ${url.protocol.slice(0, -1)}, which indus does not speak: ${expected}, or unset it`;
}

/** An address without a scheme is one of http, as for other programs. */
function addressIn(name: string, env: Environment): string {
  const value = env[name]?.trim() ?? "";
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
}

/** Whether NO_PROXY lists the address: a host, a domain with what is below it, either with a port, or `*`. */
function isListed(url: URL, env: Environment): boolean {
  const host = url.hostname.toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const entries = (env.no_proxy?.trim() || env.NO_PROXY || "").toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => {
    if (entry === "*") return true;
    const [, name = "", itsPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    const domain = name.replace(/^\*?\./, "");
    if (domain === "" || (itsPort !== undefined && itsPort !== port)) return false;
    return host === domain || host.endsWith(`.${domain}`);
  });
}
