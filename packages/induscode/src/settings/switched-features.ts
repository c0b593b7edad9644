// The features that the person turned off (setting `features`): built-in ones and addons. Only their own settings count: an addon
// may guard something, and a repository that turned it off would widen what passes.

import { nearest } from "indusagi/core";

/** The built-in features that can be turned off. Without the others there is no session, or nobody to ask. */
export const SWITCHED_BUILTINS: readonly string[] = [
  ...["builtin:files", "builtin:search", "builtin:shell", "builtin:processes", "builtin:planning"],
  ...["builtin:web", "builtin:delegates", "builtin:memory", "builtin:work-item"],
];

/** After the feature's id. */
export const TURNED_OFF = 'is not enabled: the setting "features" turns it off';

/** The names that are turned off. */
export function turnedOff({
  features = {},
}: {
  readonly features?: Readonly<Record<string, boolean>>;
}): readonly string[] {
  return Object.keys(features).filter((name) => features[name] === false);
}

/** One line for each name that turns off no addon here. It may be one of another folder's; a mistyped one is `meant`. */
export function idleSwitches(
  off: readonly string[],
  names: readonly string[],
): readonly { readonly line: string; readonly isMeant: boolean }[] {
  return off
    .filter((name) => !name.startsWith("builtin:") && !names.includes(name))
    .map((name) => {
      const near = nearest(name, names);
      const hint = near === undefined ? "" : `; did you mean "${near}"?`;
      return {
        line: `features: "${name}" in your settings does not match any addon in this session${hint}`,
        isMeant: near !== undefined,
      };
    });
}
