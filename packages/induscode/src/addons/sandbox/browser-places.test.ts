import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { systemBrowser } from "./browser-places.ts";

/** As Ubuntu's package for it. */
const WRAPPER = '#!/bin/sh\nif ! [ -x /snap/bin/chromium ]; then exit 1; fi\nexec /snap/bin/chromium "$@"\n';

describe("the system's browser", () => {
  function placed(files: Readonly<Record<string, string | { readonly link: string }>>) {
    const folder = createFolder();
    for (const [name, file] of Object.entries(files)) {
      if (typeof file === "string") writeFileSync(join(folder, name), file);
      else symlinkSync(join(folder, file.link), join(folder, name));
    }
    const places = ["missing", "chromium", "chrome"].map((name) => join(folder, name));
    return { folder, found: systemBrowser(places) };
  }

  it("is the first that is there and starts no snap", () => {
    const { folder, found } = placed({ chromium: WRAPPER, chrome: "\x7fELF" });
    expect(found).toEqual({ path: join(folder, "chrome") });
  });

  it.each([
    ["a script that starts a snap", { chromium: WRAPPER }],
    ["a script for snap run", { chromium: "#!/bin/sh\nexec snap run chromium\n" }],
    ["a link to snap", { snap: "\x7fELF", chromium: { link: "snap" } }],
  ])("is none where all there is is %s, which is said", (_, files) => {
    const { folder, found } = placed(files);
    expect(found).toEqual({
      found: `${join(folder, "chromium")} starts a snap, which cannot start in a sandbox`,
    });
  });

  it("is a script like any, and none where there is none", () => {
    const { folder, found } = placed({ chromium: "#!/bin/sh\nexec /usr/lib/chromium/chromium\n" });
    expect(found).toEqual({ path: join(folder, "chromium") });
    expect(placed({}).found).toEqual({});
  });
});
