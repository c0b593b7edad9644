// Paths in what a person reads, as short as they can be written: relative to the working directory, or from `~`.

import type { HomePlaces } from "./home.ts";
import { realPath } from "./home.ts";

export interface ShortPlaces extends HomePlaces {
  /** An absolute path. */
  readonly cwd: string;
}

/** Shortens each path in a text that begins at a word, a quote or a bracket. After a quote it writes no `~`, which a shell would not read. */
export function shortPaths({ cwd, home, personHome }: ShortPlaces): (text: string) => string {
  const ofHome = [personHome, realPath(personHome)];
  const own = [home, realPath(home)].flatMap((place) => {
    const base = ofHome.find((each) => place.startsWith(`${each}/`));
    return base === undefined ? [] : [[place, `~${place.slice(base.length)}`] as const];
  });
  const rows: readonly (readonly [path: string, short: string])[] = [
    ...own, // comes first: the working directory may be the home
    ...[cwd, realPath(cwd)].map((place) => [place, ""] as const),
    ...ofHome.map((place) => [place, "~"] as const),
  ].filter(([path]) => path !== "/");
  return (text) =>
    rows.reduce(
      (shown, [path, short]) => (shown.includes(path) ? replaced(shown, path, short) : shown),
      text,
    );
}

function replaced(text: string, path: string, short: string): string {
  const [first = "", ...rest] = text.split(path);
  let shown = first;
  for (const after of rest) {
    const isShown = begins(shown, short) && (short === "" ? /^\/[^/\s]/ : /^(?:\/|$|[\s,;:)\]])/).test(after);
    shown += isShown ? short + (short === "" ? after.slice(1) : after) : path + after;
  }
  return shown;
}

/** Whether what stands before lets a path begin; a bracket after a word is a rule, which stays as it was written. */
function begins(before: string, short: string): boolean {
  if (before === "" || /[\s=:,;[]$/.test(before) || /(?:^|[^\w])\($/.test(before)) return true;
  return short === "" && /["'`]$/.test(before);
}
