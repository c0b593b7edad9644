// This person's themes: the built-in ones, and the files in `themes/` of the home.

import { readdirSync, watch } from "node:fs";
import { dirname } from "node:path";
import { describeError, nearest, printable } from "indusagi/core";
import { HOME_FILES, homePath } from "../store/home-files.ts";
import { readJsonText } from "../store/json.ts";
import { THEMES } from "../tui/screen/theme.ts";
import { readUserTheme } from "../tui/screen/user-theme.ts";
import { THEME_NAMES, type ThemeName } from "../tui/theme-names.ts";
import { AUTO, type Themes } from "../tui/themes.ts";

const NAME = /^[\w-]{1,40}$/;
/** Editors write a file in several steps. */
const SETTLED_MS = 60;

export function openThemes(home: string): Themes {
  const pathOf = (name: string): string => homePath(home, "theme", name);
  const isBuiltIn = (name: string): name is ThemeName => THEME_NAMES.some((each) => each === name);

  function names(): readonly string[] {
    let own: string[] = [];
    try {
      own = readdirSync(dirname(pathOf("x")))
        .filter((file) => file.endsWith(".json"))
        .map((file) => file.slice(0, -".json".length))
        .filter((name) => NAME.test(name) && name !== AUTO && !isBuiltIn(name));
    } catch {
      // There is no such folder, so no themes.
    }
    return [AUTO, ...THEME_NAMES, ...own.sort()];
  }

  return {
    names,
    load: (name) => {
      if (isBuiltIn(name)) return { theme: THEMES[name], problems: [] };
      const all = names();
      if (!all.includes(name)) {
        const near = nearest(name, all);
        const hint = near === undefined ? ` Available: ${all.join(", ")}.` : ` Did you mean "${near}"?`;
        return printable(`Theme "${name.slice(0, 40)}" not found.${hint}`);
      }
      try {
        const text = readJsonText(pathOf(name), HOME_FILES.theme.maxBytes, { followsLinks: true });
        return readUserTheme(JSON.parse(text), text);
      } catch (error) {
        return printable(`The theme ${name} cannot be read: ${describeError(error)}.`);
      }
    },
    watch: (name, onChange) => {
      if (isBuiltIn(name)) return () => undefined;
      let timer: NodeJS.Timeout | undefined;
      // Watches the folder, because an editor can replace the file.
      const watcher = watch(dirname(pathOf(name)), { persistent: false }, (_event, file) => {
        if (file !== null && file !== `${name}.json`) return;
        clearTimeout(timer);
        timer = setTimeout(onChange, SETTLED_MS);
      });
      watcher.on("error", () => watcher.close()); // the folder is gone: the theme that was read stays
      return () => {
        clearTimeout(timer);
        watcher.close();
      };
    },
  };
}
