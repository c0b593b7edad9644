import type { Shell } from "indusagi/capabilities";

/** `shell`, with `env` applied on top of the environment of everything it starts. */
export function withEnvironment(shell: Shell, env: Readonly<Record<string, string>>): Shell {
  return {
    exec: (command, options) => shell.exec(command, { ...options, env: { ...options.env, ...env } }),
    spawn: (command, options) => shell.spawn(command, { ...options, env: { ...options.env, ...env } }),
  };
}
