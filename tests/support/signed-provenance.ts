// A statement about where a package was built, with all that npm's library verifies of it: a signature, a transparency log's promise, and the
// trust in that log as a cache of The Update Framework has it. Every key is made here, so nothing of the network is asked.

import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
} from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const EXPIRES = "2999-01-01T00:00:00Z";
/** Where npm's library looks for who is trusted. */
const TRUST_HOST = "tuf-repo-cdn.sigstore.dev";
const PREDICATE = "https://slsa.dev/provenance/v1";
const PAYLOAD_TYPE = "application/vnd.in-toto+json";
/** Of the log's entry, in seconds since 1970. */
const INTEGRATED = 1_700_000_000;
const TRUST_KEY = "trust";

interface Pair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export interface Signer {
  /** What the registry says that it signs with. */
  readonly registryKey: object;
  /** The attestation of a package with this checksum, as SHA-512 in hexadecimal. */
  readonly attest: (built: Built) => object;
  /** Writes who is trusted into npm's cache. */
  readonly trustIn: (npmCache: string) => void;
}

interface Built {
  /** `name@version`. */
  readonly spec: string;
  readonly sha512: string;
  readonly repository: string;
  readonly commit: string;
}

/** One registry's key, and one log. */
export function createSigner(): Signer {
  const own: Pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const log: Pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keyid = `SHA256:${hashed("sha256", derOf(own.publicKey)).toString("base64")}`;
  const logId = hashed("sha256", derOf(log.publicKey));
  return {
    registryKey: {
      ...{ keyid, expires: null, keytype: "ecdsa-sha2-nistp256", scheme: "ecdsa-sha2-nistp256" },
      key: derOf(own.publicKey).toString("base64"),
    },
    attest: ({ spec, sha512, repository, commit }) => {
      const payload = Buffer.from(
        JSON.stringify({
          _type: "https://in-toto.io/Statement/v1",
          subject: [{ name: `pkg:npm/${spec}`, digest: { sha512 } }],
          predicateType: PREDICATE,
          predicate: {
            buildDefinition: {
              externalParameters: { workflow: { repository } },
              resolvedDependencies: [{ uri: repository, digest: { gitCommit: commit } }],
            },
          },
        }),
      );
      const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
      const sig = signBytes("sha256", Buffer.concat([Buffer.from(head), payload]), own.privateKey);
      const bundle = {
        mediaType: "application/vnd.dev.sigstore.bundle+json;version=0.1",
        verificationMaterial: {
          publicKey: { hint: keyid },
          tlogEntries: [logged(payload, sig, { log, logId })],
        },
        dsseEnvelope: {
          payload: payload.toString("base64"),
          payloadType: PAYLOAD_TYPE,
          signatures: [{ sig: sig.toString("base64"), keyid }],
        },
      };
      return { predicateType: PREDICATE, bundle };
    },
    trustIn: (npmCache) => writeTrust(join(npmCache, "_tuf", TRUST_HOST), log, logId),
  };
}

/** The log's entry for a signed statement, with its promise to keep it. */
function logged(
  payload: Buffer,
  sig: Buffer,
  { log, logId }: { readonly log: Pair; readonly logId: Buffer },
): object {
  const entry = {
    apiVersion: "0.0.1",
    kind: "dsse",
    spec: {
      payloadHash: { algorithm: "sha256", value: hashed("sha256", payload).toString("hex") },
      signatures: [{ signature: sig.toString("base64") }],
    },
  };
  const body = Buffer.from(canonical(entry)).toString("base64");
  const promised = { body, integratedTime: INTEGRATED, logID: logId.toString("hex"), logIndex: 1 };
  return {
    ...{ logIndex: "1", logId: { keyId: logId.toString("base64") }, integratedTime: String(INTEGRATED) },
    kindVersion: { kind: "dsse", version: "0.0.1" },
    inclusionPromise: {
      signedEntryTimestamp: signBytes("sha256", Buffer.from(canonical(promised)), log.privateKey).toString(
        "base64",
      ),
    },
    canonicalizedBody: body,
  };
}

/** The four files of a repository of trust, and the one that they lead to: the log's key. */
function writeTrust(folder: string, log: Pair, logId: Buffer): void {
  const trusted = JSON.stringify({
    mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
    tlogs: [
      {
        baseUrl: "https://log.invalid",
        hashAlgorithm: "SHA2_256",
        publicKey: {
          rawBytes: derOf(log.publicKey).toString("base64"),
          keyDetails: "PKIX_ECDSA_P256_SHA_256",
          validFor: { start: "2020-01-01T00:00:00Z" },
        },
        logId: { keyId: logId.toString("base64") },
      },
    ],
    ...{ certificateAuthorities: [], ctlogs: [], timestampAuthorities: [] },
  });
  const key = generateKeyPairSync("ed25519");
  // An ed25519 key's own 32 bytes are the last ones of its DER form.
  const raw = derOf(key.publicKey).subarray(-32).toString("hex");
  const role = { keyids: [TRUST_KEY], threshold: 1 };
  const files: Readonly<Record<string, object>> = {
    root: {
      consistent_snapshot: false,
      keys: { [TRUST_KEY]: { keytype: "ed25519", scheme: "ed25519", keyval: { public: raw } } },
      roles: { root: role, timestamp: role, snapshot: role, targets: role },
    },
    timestamp: { meta: { "snapshot.json": { version: 1 } } },
    snapshot: { meta: { "targets.json": { version: 1 } } },
    targets: {
      targets: {
        "trusted_root.json": {
          length: Buffer.byteLength(trusted),
          hashes: { sha256: hashed("sha256", Buffer.from(trusted)).toString("hex") },
        },
      },
    },
  };
  mkdirSync(join(folder, "targets"), { recursive: true });
  writeFileSync(join(folder, "targets/trusted_root.json"), trusted);
  for (const [name, content] of Object.entries(files)) {
    const signed = { _type: name, spec_version: "1.0.31", version: 1, expires: EXPIRES, ...content };
    const sig = signBytes(undefined, Buffer.from(canonical(signed)), key.privateKey).toString("hex");
    const signatures = [{ keyid: TRUST_KEY, sig }];
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ signed, signatures }));
  }
}

function derOf(key: KeyObject): Buffer {
  return createPublicKey(key.export({ type: "spki", format: "pem" })).export({ type: "spki", format: "der" });
}

function hashed(algorithm: string, bytes: Buffer): Buffer {
  return createHash(algorithm).update(bytes).digest();
}

/** JSON without blanks, its keys in order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const rows = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${rows.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(",")}}`;
}
