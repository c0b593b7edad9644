import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { SLOWEST } from "./slowest-first.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test.each(SLOWEST)(
  "%s is there: a file that was moved would begin last, with a core idle beside it",
  (part) => {
    const files = globSync(["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts", "tests/**/*.test.ts"], {
      cwd: ROOT,
    });
    expect(files.filter((file) => file.includes(part))).not.toEqual([]);
  },
);
