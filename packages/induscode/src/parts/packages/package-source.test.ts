import { beforeEach, describe, expect, it } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { nameFor, parseSource } from "./package-source.ts";

let base = "";
beforeEach(() => {
  base = createFolder({ "tickets/manifest.toml": "", "tickets.tgz": "" });
});

describe("a source", () => {
  it.each([
    ["./tickets", "folder"],
    ["tickets/", "folder"],
    ["tickets.tgz", "archive"],
    ["npm:tickets", "npm"],
    ["npm:@org/tickets@^2", "npm"],
    ["git+https://example.com/tickets.git#v1", "git"],
    ["github:org/tickets", "git"],
    ["gitlab:group/part/tickets#v1", "git"],
    ["https://example.com/tickets-1.0.0.tgz", "npm"],
    ["https://example.com/mcp", "address"],
    ["http://127.0.0.1:7777/mcp", "address"],
    ["mcp:npx -y tickets", "server"],
  ])("%s is of the kind %s", (text, kind) => {
    expect(parseSource(text, base)).toMatchObject({ kind });
  });

  it("keeps the path of a folder as an absolute one, so that an update finds it from anywhere", () => {
    expect(parseSource("./tickets", base)).toMatchObject({ text: `${base}/tickets` });
  });

  it("that is nothing here is told what a source is, and a bare name what it may mean", () => {
    expect(parseSource("tickts", base)).toEqual({
      problem: expect.stringContaining("For the package of that name on npm: indus add npm:tickts"),
    });
    expect(parseSource("./nowhere", base)).toEqual({
      problem: expect.stringMatching(
        /^there is nothing at \.\/nowhere, and \.\/nowhere is none of \.\/folder, /,
      ),
    });
  });

  it.each(["github:x", "github:", "gitlab:/x", "bitbucket:x/"])("%s is no repository", (text) => {
    expect(parseSource(text, base)).toEqual({ problem: expect.stringContaining(":OWNER/NAME") });
  });

  it("with a quote that is not closed, or without a command, says so", () => {
    expect(parseSource("mcp:npx 'x", base)).toEqual({ problem: expect.stringContaining("is not closed") });
    expect(parseSource("mcp: ", base)).toEqual({
      problem: expect.stringContaining("expected the command line of a server"),
    });
  });
});

describe("a name", () => {
  it.each([
    ["@modelcontextprotocol/server-everything", "everything"],
    ["@playwright/mcp", "playwright"],
    ["@sentry/mcp-server", "sentry"],
    ["chrome-devtools-mcp", "chrome-devtools"],
    ["mcp-server-kubernetes", "kubernetes"],
    ["/home/me/My Tools/", "my-tools"],
    ["tickets.tar.gz", "tickets"],
  ])("of %s is %s", (subject, name) => {
    expect(nameFor(subject)).toBe(name);
  });

  it("is not made of nothing", () => {
    expect(nameFor("mcp-server")).toBeUndefined();
  });
});
