import { expect, test } from "vitest";
import { createWorkplace } from "./indus.ts";
import { endSpareShared, runShared, type SharedEnd } from "./shared-process.ts";

function help(): Promise<SharedEnd> {
  const { home, cwd } = createWorkplace();
  return runShared({ args: ["--help"], cwd, env: { PATH: process.env.PATH, HOME: home, INDUS_HOME: home } });
}
const waitedFor = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === "ProcessWrap").length;

test("two runs at one time have a process each, which are waited for while they run, and no longer", async () => {
  const before = waitedFor();
  const both = Promise.all([help(), help()]);
  expect(waitedFor()).toBe(before + 2);
  const [one, other] = await both;
  expect(one).toMatchObject({ code: 0, stdout: expect.stringContaining("indus [task]"), stderr: "" });
  expect(other).toEqual(one);
  expect(waitedFor()).toBe(before);
});

test("what is kept after a file's tests says the same in the next one", async () => {
  const before = await help();
  endSpareShared();
  expect(await help()).toEqual(before);
});
