import { expect, test } from "vitest";
import { adviceFor } from "./nobody-there.ts";

test.each([
  [
    "error: There was a problem with the editor 'false'.\nPlease supply the message",
    "pass -m, -F or --no-edit",
  ],
  ["fatal: could not read Username for 'https://x': terminal prompts disabled\n", "asked for a login"],
  ["sudo: a terminal is required to read the password; either use the -S option\n", "only sudo -n works"],
  ["sudo: a password is required\n", "only sudo -n works"],
  ["Host key verification failed.\n", "accept the host key"],
  ["git@x: Permission denied (publickey).\n", "a key without a passphrase"],
  ["This utility will walk you through creating a package.json file.\n…", "pass -y"],
  ["After this operation, 4 kB will be used.\nDo you want to continue? [Y/n] Abort.\n", "often -y"],
  ["EOFError: EOF when reading a line\n", "by a pipe or a here-document"],
  ["gpg: problem with the agent: Inappropriate ioctl for device\n", "--passphrase-file"],
  ["the input device is not a TTY\n", "leave out -t"],
  ["sh: 1: cannot open /dev/tty: No such device or address\n", "there is no terminal"],
  ["Error opening terminal: dumb.\n", "there is no terminal"],
  ['crontab: "false" exited with status 1\n', "pass that file"],
])("what could not be asked has its advice: %s", (text, advice) => {
  expect(adviceFor([text, ""])).toContain(advice);
  expect(adviceFor(["", `${"x\n".repeat(10_000)}${text}`])).toContain(advice);
});

test("what asked nobody has none", () => {
  expect(
    adviceFor(["built\n", "warning: the editor was slow, [y/n] is what it prints in the middle\nok\n"]),
  ).toBeUndefined();
});
