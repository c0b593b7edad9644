// The variables of a command in the sandbox: without those that lead programs to the person's agents, keyrings and services, and without
// those that would choose what the launching programs run, outside the sandbox.

/** They name sockets and files of services that act for the person: agents, keyrings, buses, containers, screens, editors. */
const WAYS_OUT: readonly RegExp[] = [
  /^(?:SSH|GPG)_(?:AUTH_SOCK|AGENT_.*|ASKPASS.*|CONNECTION|CLIENT|TTY)$/,
  /^(?:DBUS|GNOME|KDE|WAYLAND|XDG|VSCODE|TMUX|SUDO|SYSTEMD)_?.*$/,
  /^(?:DISPLAY|XAUTHORITY|SESSION_MANAGER|STY|WINDOWID|GIT_ASKPASS|CREDENTIALS_DIRECTORY|NOTIFY_SOCKET)$/,
  /^(?:DOCKER|CONTAINER|PODMAN|BUILDKIT|KUBE|NVIM|EMACS)_?.*$/,
  /^(?:https?|ftp|all|no)_proxy$/i,
];

/** They choose what bash, Node, Perl or the system's loader run before the command is confined. */
const STARTERS =
  /^(?:LD_.*|NODE_.*|PERL.*|BASH_.*|BASHOPTS|SHELLOPTS|ENV|PS4|IFS|GCONV_PATH|LOCPATH|GLIBC_TUNABLES|MALLOC_.*|OPENSSL_.*|SSL_.*)$/;

export interface LaunchVariables {
  /** For the programs that confine the command, and for the command. */
  readonly outer: Readonly<Record<string, string>>;
  /** For the command only. */
  readonly inner: Readonly<Record<string, string>>;
}

/** `own` overrides inherited variables. */
export function launchVariables(
  env: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): LaunchVariables {
  const kept = Object.entries(env).filter(
    ([name]) => !Object.hasOwn(own, name) && !WAYS_OUT.some((way) => way.test(name)),
  );
  const of = (isInner: boolean): Record<string, string> =>
    Object.fromEntries([...kept, ...Object.entries(own)].filter(([name]) => STARTERS.test(name) === isInner));
  return { outer: of(false), inner: of(true) };
}

/**
 * For a command without a network. Package managers try again for a minute what no network can answer; each has a variable that its manual
 * names. What Go, Maven, Gradle, gem and Deno cannot resolve they do not try again.
 */
export const NO_RETRIES: Readonly<Record<string, string>> = {
  npm_config_fetch_retries: "0", // and pnpm before 11
  pnpm_config_fetch_retries: "0",
  YARN_HTTP_RETRY: "0",
  PIP_RETRIES: "0",
  UV_HTTP_RETRIES: "0",
  CONDA_REMOTE_MAX_RETRIES: "0",
  CARGO_NET_RETRY: "0",
  BUNDLE_RETRY: "0",
  COMPOSER_DISABLE_NETWORK: "1", // it has none for retries; what lies in its cache it still uses
  NUGET_ENHANCED_MAX_NETWORK_TRY_COUNT: "1",
};
