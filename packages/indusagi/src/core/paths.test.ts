import { homedir } from "node:os";
import { expect, test } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { isInside, resolvePath } from "./paths.ts";

test("a path is taken from the working folder, and ~ is the home folder", () => {
  expect(resolvePath("/ws", "a/../b.txt")).toBe("/ws/b.txt");
  expect(resolvePath("/ws", "/etc/hosts")).toBe("/etc/hosts");
  expect(resolvePath("/ws", "~")).toBe(homedir());
  expect(resolvePath("/ws", "~/notes")).toBe(`${homedir()}/notes`);
  expect(resolvePath("/ws", "~other")).toBe("/ws/~other");
});

test("a NUL byte is refused", () => {
  expect(() => resolvePath("/ws", "a\0.txt")).toThrow(
    'The path "a\\u0000.txt" contains a NUL byte. Remove it.',
  );
});

test("a sibling that shares a prefix is outside, where a string prefix check lets it in", () => {
  expect(isInside("/ws", "/ws-evil/key")).toBe(false);
  expect("/ws-evil/key".startsWith("/ws")).toBe(true); // the twin: what the guard replaces
});

test("names that only begin with dots are inside", () => {
  expect(["/ws", "/ws/a", "/ws/..a", "/ws/...", "/ws/a/.."].map((path) => isInside("/ws", path))).toEqual([
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(["/", "/ws/..", "/ws/../other", "/other"].map((path) => isInside("/ws", path))).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test("no suffix on the root's own name is ever inside, and every child is", () => {
  const name = fc.stringMatching(/^[a-z0-9.-]{1,12}$/).filter((value) => !/^\.+$/.test(value));
  fc.assert(
    fc.property(name, name, (root, suffix) => {
      expect(isInside(`/${root}`, `/${root}${suffix}/file`)).toBe(false);
      expect(isInside(`/${root}`, `/${root}/${suffix}`)).toBe(true);
    }),
  );
});
