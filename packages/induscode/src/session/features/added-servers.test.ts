import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { homePath } from "../../store/home-files.ts";
import { replaceFile } from "../../store/replace-file.ts";
import { addedServers } from "./added-servers.ts";

it("are the servers of files; hooks of a file leave the rest of it unused", () => {
  const home = mkdtempSync(join(tmpdir(), "indus-added-"));
  expect(addedServers(home)).toEqual([]);
  const packages = { a: { source: "/w/.mcp.json#a" }, hooks: { source: "/w/.claude/settings.json" }, odd: 1 };
  replaceFile(homePath(home, "packagesLock"), JSON.stringify({ packages }));
  expect(addedServers(home)).toEqual(["/w/.mcp.json#a"]);
});
