import { expect, test } from "vitest";
import { childEnvironment } from "./child-environment.ts";

test("a child inherits the rest, and the overlay wins", () => {
  const inherited = { PATH: "/bin", MY_TOKEN: "canary", EMPTY: "", GONE: undefined };
  expect(childEnvironment(inherited, { PATH: "/x", GRANTED_TOKEN: "on purpose" })).toEqual({
    PATH: "/x",
    EMPTY: "",
    GRANTED_TOKEN: "on purpose",
  });
});
