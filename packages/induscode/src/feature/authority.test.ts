import { expect, test } from "vitest";
import { createAuthority } from "./authority.ts";

test("the mode counts as it is at each deed, not as it was when the session began", () => {
  let isReadOnly = false;
  let isPlanning = false;
  const authority = createAuthority({
    reports: () => [
      {
        feature: "project:x",
        granted: [{ kind: "files", read: true, write: true, execute: true }],
        tools: [],
      },
    ],
    realPath: async (path) => path,
    root: "/ws",
    get isReadOnly() {
      return isReadOnly;
    },
    get isPlanning() {
      return isPlanning;
    },
  });
  const lack = (): string | undefined => authority.refusal(["project:x"], [{ kind: "execute" }])?.lack;
  expect(lack()).toBeUndefined();
  isPlanning = true;
  expect(lack()).toBe("no plan is approved yet");
  isPlanning = false;
  isReadOnly = true;
  expect(lack()).toBe("the permission mode is read-only");
});
