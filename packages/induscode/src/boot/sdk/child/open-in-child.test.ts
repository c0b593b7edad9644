import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFolder } from "../../../../../../tests/support/test-folder.ts";
import { openInChild } from "./open-in-child.ts";

it("a program that does not open its session in time is ended, which the error says", async () => {
  const cwd = createFolder();
  const command = join(cwd, "silent");
  writeFileSync(command, "#!/bin/sh\nexec sleep 1000\n", { mode: 0o700 });
  const { PATH } = process.env;
  const opened = openInChild({ cwd, env: { PATH } }, { command }, 1);
  await expect(opened).rejects.toThrow("indus did not open its session in 0.001 s"); // it is gone by then
});
