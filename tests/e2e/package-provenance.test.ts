// What a registry says of its packages, through the real command: where one was built, or that nobody says; a statement that is not true, a
// version whose content changed, and a name that is nearly another's.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorkplace } from "../support/indus.ts";
import { type PackageRegistry, startPackageRegistry } from "../support/package-registry.ts";
import { createSigner } from "../support/signed-provenance.ts";

let registry: PackageRegistry;
beforeAll(async () => {
  registry = await startPackageRegistry();
});
afterAll(() => registry.close());

const FILES = {
  "package.json": "{}",
  "manifest.toml": 'id = "kit"\n\n[[command]]\nname = "kit"\nsummary = "x"\nprompt = "x"\n',
};
const place = () => {
  const made = createWorkplace();
  const env = { npm_config_registry: registry.url, npm_config_fetch_retries: "0" };
  return { ...made, indus: (...args: readonly string[]) => made.run(args, { env }) };
};
/** A statement about a build, signed by nobody. */
function statement(subject: string, sha512: string): object {
  const payload = {
    subject: [{ name: subject, digest: { sha512 } }],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: { externalParameters: { workflow: { repository: "https://example.com/kit" } } },
    },
  };
  const dsseEnvelope = {
    payload: Buffer.from(JSON.stringify(payload)).toString("base64"),
    payloadType: "application/vnd.in-toto+json",
    signatures: [{ sig: "AAAA", keyid: "" }],
  };
  return {
    predicateType: "https://slsa.dev/provenance/v1",
    bundle: { mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json", dsseEnvelope },
  };
}

describe("provenance", () => {
  it("that nobody gives is said", async () => {
    registry.publish("plain-kit", "1.0.0", FILES);
    const added = await place().indus("add", "npm:plain-kit", "--yes");
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toContain("│ no provenance: it is not verified where it was built");
  });

  it.each([
    ["is about another package", "pkg:npm/other@1.0.0", "0"],
    ["is about another content", undefined, "0"],
  ])("that %s refuses the package", async (what, subject, sha512) => {
    const name = `stated-${what.length}`;
    registry.publish(name, "1.0.0", FILES);
    registry.attest(name, "1.0.0", [statement(subject ?? `pkg:npm/${name}@1.0.0`, sha512)]);
    const { indus } = place();
    const added = await indus("add", `npm:${name}`, "--yes");
    expect(added).toMatchObject({ code: 1, stdout: "" });
    expect(added.stderr).toContain(`${name}@1.0.0: its provenance does not verify`);
    expect(added.stderr).toContain("doesn't match what was signed");
    expect((await indus("list")).stdout).toContain("No packages yet.");
  });

  it("with a key that the registry does not have refuses the package", async () => {
    registry.publish("keyed-kit", "1.0.0", FILES);
    const { bundle, ...rest } = statement("pkg:npm/keyed-kit@1.0.0", "0") as {
      bundle: { dsseEnvelope: object };
    };
    const dsseEnvelope = { ...bundle.dsseEnvelope, signatures: [{ sig: "AAAA", keyid: "SHA256:none" }] };
    registry.attest("keyed-kit", "1.0.0", [{ ...rest, bundle: { ...bundle, dsseEnvelope } }]);
    const added = await place().indus("add", "npm:keyed-kit", "--yes");
    expect(added).toMatchObject({ code: 1, stdout: "" });
    expect(added.stderr).toContain("no corresponding public key");
  });
});

describe("provenance that is signed, logged and trusted", () => {
  const BUILT = {
    repository: "https://github.com/example/kit",
    commit: "0123456789abcdef0123456789abcdef01234567",
  };

  async function added(name: string, changed: (attestation: object) => object = (same) => same) {
    const signer = createSigner();
    registry.publish(name, "1.0.0", FILES);
    const spec = `${name}@1.0.0`;
    const attestation = signer.attest({ ...BUILT, spec, sha512: registry.sha512Of(name, "1.0.0") });
    registry.attest(name, "1.0.0", [changed(attestation)]);
    registry.signWith([signer.registryKey]);
    const { home, run } = createWorkplace();
    const cache = join(home, "npm-cache");
    signer.trustIn(cache);
    const env = {
      npm_config_registry: registry.url,
      npm_config_cache: cache,
      npm_config_fetch_retries: "0",
      COLUMNS: "2000",
    };
    return { home, ...(await run(["add", `npm:${name}`, "--yes"], { env })) };
  }

  it("is verified, and the report and the lock file say where the package was built", async () => {
    const { home, ...done } = await added("built-kit");
    expect(done).toMatchObject({ code: 0, stderr: "" });
    const said = "built by https://github.com/example/kit at 0123456789ab, verified";
    expect(done.stdout).toMatch(new RegExp(`^ {2}built +│ ${said}$`, "m"));
    expect(readFileSync(join(home, "packages.lock"), "utf8")).toContain(said);
  });

  it("is not verified once a word of it is another", async () => {
    const { stderr, code } = await added("altered-kit", (attestation) => {
      const text = JSON.stringify(attestation);
      const payload = /"payload":"([^"]+)"/.exec(text)?.[1] ?? "";
      const other = Buffer.from(payload, "base64")
        .toString()
        .replace("github.com/example", "github.com/someone");
      return JSON.parse(text.replace(payload, Buffer.from(other).toString("base64")));
    });
    expect(code).toBe(1);
    expect(stderr).toContain("altered-kit@1.0.0: its provenance does not verify");
  });
});

it("a version whose content is another than when it was added is refused", async () => {
  registry.publish("changing-kit", "1.0.0", FILES);
  const { indus } = place();
  expect(await indus("add", "npm:changing-kit", "--yes")).toMatchObject({ code: 0 });
  registry.publish("changing-kit", "1.0.0", { ...FILES, "more.txt": "other" });
  const updated = await indus("update", "kit", "--yes");
  expect(updated.code).toBe(1);
  expect(updated.stderr).toContain("checksum of changing-kit@1.0.0 has changed since you added the package");
  registry.publish("changing-kit", "1.0.1", { ...FILES, "more.txt": "other" });
  expect(await indus("update", "kit", "--yes")).toMatchObject({ code: 0 });
});

it("a name that is nearly another's is said before the answer", async () => {
  registry.publish("taviIy-mcp".toLowerCase(), "1.0.0", FILES); // an i in the place of the l
  const asking = await place().indus("add", "npm:taviiy-mcp");
  expect(asking.stdout).toContain("its name, taviiy-mcp, is nearly the name of tavily-mcp");
});
