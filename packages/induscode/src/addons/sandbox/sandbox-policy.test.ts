import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../process/protocol/contract.ts";
import { confinedTo, denyAll, permitsEnv, permitsPath } from "./sandbox-policy.ts";

describe("denyAll", () => {
  it("grants nothing, with a time limit of 30 seconds", () => {
    expect(denyAll()).toEqual({
      allowFs: false,
      timeoutMs: 30_000,
      envAllowlist: [],
      limits: DEFAULT_LIMITS,
    });
    expect(permitsPath(denyAll(), "/ws")).toBe(false);
    expect(permitsEnv(denyAll(), "PATH")).toBe(false);
  });
});

describe("permitsPath", () => {
  const policy = confinedTo("/ws/project");

  it.each(["/ws/project", "/ws/project/", "/ws/project/a/b", "/ws/project/a/../b", "/ws/project\u200b/a"])(
    "permits %j",
    (path) => expect(permitsPath(policy, path)).toBe(true),
  );

  it.each([
    "/ws",
    "/",
    "/etc/passwd",
    "/ws/project/../../etc/passwd",
    "/ws/project/a/../../other",
    "/ws/project-evil/x",
    "/ws/project/a\0/../../../etc/passwd",
    "relative/to/somewhere",
    "~/.ssh/id_rsa",
    "",
  ])("refuses %j", (path) => expect(permitsPath(policy, path)).toBe(false));

  it.each(["/ws/project/../../etc/passwd", "/ws/project-evil/x"])(
    "stands where a comparison of beginnings lets %j through",
    (path) => {
      expect(path.startsWith("/ws/project")).toBe(true); // the check that similar products used
      expect(permitsPath(policy, path)).toBe(false);
    },
  );

  it("takes the flag without a root for no grant at all", () => {
    expect(permitsPath({ ...denyAll(), allowFs: true }, "/ws")).toBe(false);
  });

  it("takes a root without the flag for no grant at all", () => {
    expect(permitsPath({ ...policy, allowFs: false }, "/ws/project/a")).toBe(false);
  });
});

it("permitsEnv passes on exactly the listed names", () => {
  const policy = { ...denyAll(), envAllowlist: ["LANG"] };
  expect(["LANG", "lang", "LANG2", "PATH"].map((name) => permitsEnv(policy, name))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
