import { expect, test } from "vitest";
import { childEnvironment } from "./child-environment.ts";

test("nothing runs before a bash that a child starts", () => {
  const inherited = {
    "BASH_FUNC_ls%%": "() { evil; }",
    BASH_ENV: "/x",
    SHELLOPTS: "noexec",
    BASHOPTS: "extglob",
    ENV: "dev",
  };
  expect(childEnvironment(inherited)).toEqual({ ENV: "dev" }); // many programs have an ENV of their own, and no shell reads it here
});

test("a child inherits the rest, and the overlay wins", () => {
  const inherited = { PATH: "/bin", MY_TOKEN: "canary", EMPTY: "", GONE: undefined };
  expect(childEnvironment(inherited, { PATH: "/x", GRANTED_TOKEN: "on purpose" })).toEqual({
    PATH: "/x",
    EMPTY: "",
    GRANTED_TOKEN: "on purpose",
  });
});

test("a child gets no value that holds a known secret, except where nothing runs without it", () => {
  const inherited = { PATH: "/home/canary/bin", NOTE: "it is canary.", PLAIN: "x", LISTED: "y" };
  const holdsSecret = (value: string): boolean => value.includes("canary");
  expect(childEnvironment(inherited, {}, { names: new Set(["LISTED"]), holdsSecret })).toEqual({
    PATH: "/home/canary/bin",
    PLAIN: "x",
  });
  expect(childEnvironment(inherited)).toEqual(inherited); // the twin
});
