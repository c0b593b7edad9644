// Where a published package says that it was built: what its signed statement names, in words. Whether the statement is true is npm's own
// library's to verify.

import { isTable } from "indusagi/core";

/** What the answer about a package's attestations says of its build; undefined for attestations of publishing alone. */
export function builtBy(answer: unknown): string | undefined {
  const all = isTable(answer) && Array.isArray(answer.attestations) ? answer.attestations : [];
  const build = all.find((each) => isTable(each) && /slsa\.dev\/provenance/.test(String(each.predicateType)));
  const predicate = at(statementOf(build), "predicate");
  const repository =
    at(predicate, "buildDefinition", "externalParameters", "workflow", "repository") ??
    at(predicate, "invocation", "configSource", "uri");
  if (typeof repository !== "string") return undefined;
  const [dependency] = listAt(predicate, "buildDefinition", "resolvedDependencies");
  const commit =
    at(dependency, "digest", "gitCommit") ?? at(predicate, "invocation", "configSource", "digest", "sha1");
  return `built by ${repository}${typeof commit === "string" ? ` at ${commit.slice(0, 12)}` : ""}, verified`;
}

/** For a package that says nothing of it. */
export const NO_PROVENANCE = "no provenance: it is not verified where it was built";

function statementOf(attestation: unknown): unknown {
  const payload = at(attestation, "bundle", "dsseEnvelope", "payload");
  if (typeof payload !== "string") return undefined;
  try {
    return JSON.parse(Buffer.from(payload, "base64").toString("utf8"));
  } catch {
    return undefined; // said by whoever verifies it
  }
}

function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((found, key) => (isTable(found) ? found[key] : undefined), value);
}

function listAt(value: unknown, ...keys: readonly string[]): readonly unknown[] {
  const found = at(value, ...keys);
  return Array.isArray(found) ? found : [];
}
