// A registry of npm packages on loopback, with archives of any content: also of such as no packer makes.

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** One entry of an archive; its name as it is written there. */
export interface ArchiveEntry {
  readonly name: string;
  readonly text?: string;
  /** The target of a link. */
  readonly link?: string;
}

/** A packed tar file. */
export function archiveOf(entries: readonly ArchiveEntry[]): Buffer {
  return gzipSync(Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(1_024)]));
}

/** The archive of a package with these files. */
export function packageArchive(files: Readonly<Record<string, string>>): Buffer {
  return archiveOf(Object.entries(files).map(([name, text]) => ({ name: `package/${name}`, text })));
}

export interface PackageRegistry {
  readonly url: string;
  /** Offers a version; the newest is the one offered last. `archive`: what is fetched, whatever `files` say. */
  readonly publish: (
    name: string,
    version: string,
    files: Readonly<Record<string, string>>,
    archive?: Buffer,
  ) => void;
  /** What it answers about where a version was built. */
  readonly attest: (name: string, version: string, attestations: readonly object[]) => void;
  /** What it signs with; nothing by default. */
  readonly signWith: (keys: readonly object[]) => void;
  /** The checksum of a version's archive: SHA-512, in hexadecimal. */
  readonly sha512Of: (name: string, version: string) => string;
  /** What is fetched under a version from now on; its checksum stays as it was. */
  readonly exchange: (name: string, version: string, archive: Buffer) => void;
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

interface Published {
  archive: Buffer;
  readonly row: { readonly dist: object };
}

export async function startPackageRegistry(): Promise<PackageRegistry> {
  const packages = new Map<string, Map<string, Published>>();
  const requests: string[] = [];
  let keys: readonly object[] = [];
  const attestations = new Map<string, readonly object[]>();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    requests.push(path);
    const [, file, version] = /^\/-\/(.+)\/([^/]+)\.tgz$/.exec(path) ?? [];
    if (file !== undefined && version !== undefined) {
      const found = packages.get(file)?.get(version);
      response.statusCode = found ? 200 : 404;
      response.end(found?.archive);
      return;
    }
    if (path === "/-/npm/v1/keys" && keys.length > 0) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ keys }));
      return;
    }
    const attested = attestations.get(path);
    if (attested !== undefined) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ attestations: attested }));
      return;
    }
    const name = path.slice(1);
    const versions = packages.get(name);
    response.statusCode = versions ? 200 : 404;
    response.setHeader("content-type", "application/json");
    const latest = [...(versions?.keys() ?? [])].at(-1);
    const rows = Object.fromEntries([...(versions ?? [])].map(([each, { row }]) => [each, row]));
    response.end(JSON.stringify({ name, "dist-tags": { latest }, versions: rows }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    publish(name, version, files, archive) {
      const content = JSON.parse(files["package.json"] ?? "{}") as object;
      const packed =
        archive ??
        packageArchive({ ...files, "package.json": JSON.stringify({ ...content, name, version }) });
      const integrity = `sha512-${createHash("sha512").update(packed).digest("base64")}`;
      const row = {
        ...content,
        name,
        version,
        dist: { tarball: `${url}/-/${name}/${version}.tgz`, integrity },
      };
      const versions = packages.get(name) ?? new Map<string, Published>();
      packages.set(name, versions.set(version, { archive: packed, row }));
    },
    attest(name, version, statements) {
      const found = publishedAs(name, version);
      const path = `/-/npm/v1/attestations/${name}@${version}`;
      attestations.set(path, statements);
      Object.assign(found.row.dist, { attestations: { url: `${url}${path}` } });
    },
    signWith(given) {
      keys = given;
    },
    sha512Of: (name, version) =>
      createHash("sha512").update(publishedAs(name, version).archive).digest("hex"),
    exchange(name, version, archive) {
      publishedAs(name, version).archive = archive;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  function publishedAs(name: string, version: string): Published {
    const found = packages.get(name)?.get(version);
    if (!found) throw new Error(`${name}@${version} was not published`);
    return found;
  }
}

const BLOCK = 512;

/** The header of POSIX.1-1988's ustar, and the content in whole blocks. */
function blocksOf({ name, text = "", link }: ArchiveEntry): readonly Buffer[] {
  const content = Buffer.from(text);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write(link === undefined ? "0" : "2", 156);
  header.write(link ?? "", 157, 100);
  header.write("ustar\0" + "00", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}
