import { expect, it } from "vitest";
import { ownTemporaryRemark } from "./own-temporary.ts";

const SHARED = ["/tmp/work", "/tmp/granted"];

it.each([
  "touch /tmp/x",
  "make > /tmp/log 2>&1",
  "cp a '/tmp/a b'",
  "f=$(mktemp)",
  'echo x > "$TMPDIR/x"',
  "ls /tmp",
])("a command that names a place in /tmp is told whose that is: %s", (command) => {
  expect(ownTemporaryRemark(command, SHARED)).toContain("the sandbox's own");
});

it.each([
  "touch src/tmp/x",
  "cat /tmp/work/a.txt /tmp/granted/b",
  "ls /tmpfiles",
  "echo $TMPDIRS",
  "npm test",
])("any other is not: %s", (command) => {
  expect(ownTemporaryRemark(command, SHARED)).toBeUndefined();
});
