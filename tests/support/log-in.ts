// `indus mcp login`, with a browser that follows the address at once.

import type { Finished, Workplace } from "./indus.ts";

/** Logs in as a person does whose browser follows the address that is printed, or what `change` makes of it. */
export function logIn(
  place: Pick<Workplace, "runAlone">,
  server: string,
  change = (url: string): string => url,
): Promise<Finished> {
  return place.runAlone(["mcp", "login", server], {
    onStart(child) {
      let said = "";
      let isOpened = false;
      child.stdout?.on("data", (chunk: Buffer) => {
        said += chunk;
        const [, url] = /\n {2}(http\S+)\n/.exec(said) ?? [];
        if (url === undefined || isOpened) return;
        isOpened = true;
        void fetch(change(url)).catch(() => undefined);
      });
    },
  });
}
