// The keys that providers want.

import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

export const authPart: PartRow = {
  name: "auth",
  subcommands: [
    subcommand({
      name: "auth",
      summary: "stored provider keys",
      flags: [{ name: "file", kind: "boolean", summary: "in a file, even if there is a keyring" }],
      usages: [
        {
          words: "list",
          isDefault: true,
          summary: "list the providers that have a key, and where it comes from",
        },
        {
          words: "login <provider>",
          summary: "store a provider's key, for models only",
          flags: ["file"],
          writes: ["credentials"],
        },
        { words: "logout <provider>", summary: "remove a stored key", writes: ["credentials"] },
      ],
      fault: "the input is not a valid key, or no key is stored",
      load: async () => (await import("./run-auth.ts")).runAuth,
    }),
  ],
  commands: async () => [(await import("./login-command.ts")).loginCommand],
};
