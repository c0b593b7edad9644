import { describe, expect, it } from "vitest";
import { type Candidate, matchGrants } from "./person-grants.ts";

const hashOf = (digit: string): string => digit.repeat(64);

function candidate(path: string, facts: Partial<Candidate> & Pick<Candidate, "scope">): Candidate {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "");
  const prefix = facts.scope === "project" ? "project" : "user";
  return { path, hash: hashOf("a"), ownNames: [name, `${prefix}:${name}`], claimedNames: [], ...facts };
}

const own = candidate("/home/addons/notes.ts", { scope: "user", hash: hashOf("b") });
const safety = candidate("/repo/.indus/addons/safety.ts", { scope: "project", hash: hashOf("c") });
const lint = candidate("/repo/.indus/addons/lint.py", {
  scope: "project",
  hash: hashOf("d"),
  claimedNames: ["checker", "project:checker"],
});
const all = [own, safety, lint];

function reached(grants: Parameters<typeof matchGrants>[1], candidates = all): readonly string[] {
  const { isGranted } = matchGrants(candidates, grants);
  return candidates.filter(isGranted).map(({ path }) => path);
}
const problems = (grants: Parameters<typeof matchGrants>[1], candidates = all): readonly string[] =>
  matchGrants(candidates, grants).idle.map(({ grant, problem }) => `${grant} ${problem}`);

describe("typed for one run", () => {
  it.each([
    ["safety", safety],
    ["project:safety", safety],
    ["checker", lint],
    ["lint", lint],
    ["notes", own],
    [hashOf("c").slice(0, 12), safety],
    [hashOf("C").slice(0, 20), safety],
    [`safety@${hashOf("c").slice(0, 12)}`, safety],
  ])("%s reaches the addon with that name here", (grant, { path }) => {
    expect(reached({ forRun: [grant] })).toEqual([path]);
  });

  it.each([
    ["safty", 'matches no addon in this folder; did you mean "safety"?'],
    ["project:notes", "matches no addon in this folder; found notes, safety, checker"],
    [hashOf("e"), "matches no addon in this folder; found notes, safety, checker"],
    [`safety@${hashOf("d").slice(0, 12)}`, 'matches no addon in this folder; did you mean "safety"?'],
  ])("%s reaches nobody, and says so", (grant, problem) => {
    expect(problems({ forRun: [grant] })).toEqual([`${grant} ${problem}`]);
    expect(reached({ forRun: [grant] })).toEqual([]);
  });

  it("a name that two give themselves is nobody's; one that is a file's own is that file's", () => {
    const liar = candidate("/repo/.indus/addons/a.ts", { scope: "project", claimedNames: ["checker"] });
    expect(reached({ forRun: ["checker"] }, [...all, liar])).toEqual([]);
    expect(problems({ forRun: ["checker"] }, [...all, liar])).toEqual([
      "checker is ambiguous: /repo/.indus/addons/lint.py and /repo/.indus/addons/a.ts both declare it; use the name of the file or folder",
    ]);
  });

  it("a grant for content is not called a mistake while a file that may hold it cannot be read", () => {
    const unread = candidate("/repo/.indus/addons/b.ts", { scope: "project", hash: undefined });
    expect(problems({ forRun: [hashOf("e")] }, [...all, unread])).toEqual([]);
    expect(problems({ forRun: ["other"] }, [...all, unread])).toHaveLength(1);
  });

  it("a grant reaches nobody where there is no addon", () => {
    expect(problems({ forRun: ["x"] }, [])).toEqual(["x matches no addon in this folder: there are none"]);
  });
});

describe("kept in the settings", () => {
  it("a name reaches the person's own addons, and nobody else's", () => {
    expect(reached({ lasting: ["notes", "safety", "project:safety", "checker"] })).toEqual([own.path]);
  });

  it("says of a name that is one of this folder's how it can be kept", () => {
    const pinned = `"safety@${hashOf("c").slice(0, 12)}"`;
    expect(problems({ lasting: ["safety", "project:safety", "nots"] })).toEqual([
      `safety is a name, and names match only your own addons; for the one in this folder use ${pinned}, or list it in addons.grantIn`,
      `project:safety is a name, and names match only your own addons; for the one in this folder use ${pinned}, or list it in addons.grantIn`,
      'nots matches none of your own addons; did you mean "notes"?',
    ]);
  });

  it("content reaches wherever it lies, with a name only under that name; elsewhere it is no mistake", () => {
    expect(reached({ lasting: [hashOf("c").slice(0, 12), `lint@${hashOf("d").slice(0, 12)}`] })).toEqual([
      safety.path,
      lint.path,
    ]);
    const elsewhere = [hashOf("f"), `safety@${hashOf("f")}`, `lint@${hashOf("c")}`];
    expect([reached({ lasting: elsewhere }), problems({ lasting: elsewhere })]).toEqual([[], []]);
  });

  it("a name kept for this folder reaches this folder's addon", () => {
    expect(reached({ here: ["safety", "checker"] })).toEqual([safety.path, lint.path]);
    expect(reached({ here: ["notes"] })).toEqual([]);
    expect(problems({ here: ["notes"] })).toEqual([
      "notes matches no addon of this folder; found safety, checker",
    ]);
  });
});
