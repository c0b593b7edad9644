// How a command in a network of its own reaches the proxy: a program in there listens where the variables say and forwards every
// connection to the proxy's socket. It starts the command once it listens, and ends with it.

/** A proxy of the host's process. */
export interface ProxyPlace {
  /** The folder with its socket. */
  readonly folder: string;
  /** It leads to ports of the person's machine, too: the program's own ones are then out of reach by HTTP. */
  readonly leadsToMachine: boolean;
}

/** Where the command finds the proxy, in a network that nobody else uses. */
const PORT = 13128;
/** Where the folder with the proxy's socket is in the sandbox. */
export const PROXY_FOLDER = "/run/indus";
export const PROXY_SOCKET = "proxy";

const RELAY = `
const { connect, createServer } = require("node:net");
const [variables, program, ...args] = process.argv.slice(1);
const fail = (error) => { console.error("indus sandbox: " + error.message); process.exit(126); };
createServer({ allowHalfOpen: true }, (near) => {
  const far = connect({ path: "${PROXY_FOLDER}/${PROXY_SOCKET}", allowHalfOpen: true });
  near.on("error", () => far.destroy()).on("close", () => far.destroy());
  far.on("error", () => near.destroy()).on("close", () => near.destroy());
  near.pipe(far).pipe(near);
}).on("error", fail).listen(${PORT}, "127.0.0.1", () => {
  const { spawn } = require("node:child_process");
  const env = { ...process.env, ...JSON.parse(variables) };
  spawn(program, args, { stdio: "inherit", env }).on("error", fail).on("exit", (code, signal) => {
    process.exit(code ?? 128 + require("node:os").constants.signals[signal]);
  });
});`;

/** `inner`: given to the command at its start, and not to the relay. */
export function relayed(argv: readonly string[], inner: Readonly<Record<string, string>>): readonly string[] {
  return [process.execPath, "--no-warnings", "-e", RELAY, "--", JSON.stringify(inner), ...argv];
}

/** What programs read to find a proxy: curl and git, Node, npm, pip and similar. */
export function proxyVariables({
  leadsToMachine = false,
}: Partial<Pick<ProxyPlace, "leadsToMachine">> = {}): Readonly<Record<string, string>> {
  const at = `http://127.0.0.1:${PORT}`;
  const own = leadsToMachine ? "" : "localhost,127.0.0.1,::1";
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  return {
    ...Object.fromEntries([...names, ...names.map((name) => name.toLowerCase())].map((name) => [name, at])),
    NO_PROXY: own,
    no_proxy: own,
    NODE_USE_ENV_PROXY: "1",
    npm_config_proxy: at,
    npm_config_https_proxy: at,
    npm_config_noproxy: own,
    PIP_PROXY: at,
  };
}
