import { expect, it } from "vitest";
import { builtBy } from "./provenance.ts";

const answer = (predicateType: string, predicate: object): object => ({
  attestations: [
    { predicateType: "https://github.com/npm/attestation/tree/main/specs/publish/v0.1", bundle: {} },
    {
      predicateType,
      bundle: {
        dsseEnvelope: { payload: Buffer.from(JSON.stringify({ predicate })).toString("base64") },
      },
    },
  ],
});
const repository = "https://example.com/org/kit";
const commit = "0123456789abcdef0123456789abcdef01234567";

it.each([
  [
    "https://slsa.dev/provenance/v1",
    {
      buildDefinition: {
        externalParameters: { workflow: { repository } },
        resolvedDependencies: [{ digest: { gitCommit: commit } }],
      },
    },
  ],
  [
    "https://slsa.dev/provenance/v0.2",
    { invocation: { configSource: { uri: repository, digest: { sha1: commit } } } },
  ],
])("a statement of %s names the repository and the commit", (type, predicate) => {
  expect(builtBy(answer(type, predicate))).toBe(`built by ${repository} at 0123456789ab, verified`);
});

it.each([undefined, {}, { attestations: "x" }, { attestations: [{ bundle: 1 }] }])(
  "%j says nothing",
  (given) => {
    expect(builtBy(given)).toBeUndefined();
  },
);
