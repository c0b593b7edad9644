// Why git could not bring a repository, in its own words: the library that runs it has one sentence for nearly everything.

import { isTable } from "indusagi/core";

/** What git was asked for. */
interface Asked {
  readonly address: string;
  readonly ref: string | undefined;
  /** The folder that it was to write, of which nobody else knows. */
  readonly into: string;
}

const MAX_LINES = 5;
/** What git says beside the reason. */
const ASIDE = /^(?:Cloning into|hint:|warning:|$)/;

/** With the address, what git said, and what to do. An error in which git said nothing stays what it is. */
export function gitProblem(error: unknown, { address, ref, into }: Asked): unknown {
  const said = isTable(error) ? error.stderr : "";
  const lines = String(said ?? "")
    .replaceAll(into, "the copy")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => !ASIDE.test(line));
  if (lines.length === 0) return error;
  const place = withoutSecretsOfAddress(address);
  if (ref !== undefined && lines.some((line) => line.includes("did not match any file")))
    return new Error(
      `${place} has no branch, tag or commit ${ref}: git ls-remote ${place} lists what it has`,
    );
  const words = lines.slice(-MAX_LINES).join("; ").replaceAll(address, place);
  return new Error(
    `git cannot read ${place}: ${words}. Check the address and your access to it: git ls-remote ${place} must work without a question`,
  );
}

/** An address without the password in it, and without the name where that is often a token: over HTTP. */
export function withoutSecretsOfAddress(address: string): string {
  const url = URL.parse(address);
  const isHttp = url !== null && /^(?:git\+)?https?:$/.test(url.protocol);
  if (url === null || (url.password === "" && !(isHttp && url.username !== ""))) return address;
  url.password = "";
  if (isHttp) url.username = "";
  return url.href;
}
