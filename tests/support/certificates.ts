// Certificates for tests, made anew by each run: none of their keys are stored anywhere. Node can sign but cannot write
// certificates, so this writes the parts of X.509 (RFC 5280) that TLS reads, in DER.

import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const hex = (text: string): Buffer => Buffer.from(text, "hex");

/** One value of DER: its tag, its length, its content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const time = (text: string): Buffer => der(0x18, Buffer.from(text));
const name = (common: string): Buffer =>
  sequence(der(0x31, sequence(hex("0603550403"), der(0x0c, Buffer.from(common)))));
/** An extension by its identifier, 2.5.29.`id`. */
const extension = (id: number, value: Buffer): Buffer =>
  sequence(Buffer.from([0x06, 0x03, 0x55, 0x1d, id]), der(0x04, value));

const ECDSA_SHA256 = sequence(hex("06082a8648ce3d040302"));
const LOOPBACK = sequence(der(0x82, Buffer.from("localhost")), der(0x87, Buffer.from([127, 0, 0, 1])));
const FOREVER = sequence(time("20200101000000Z"), time("21200101000000Z"));

interface Issuer {
  readonly common: string;
  readonly privateKey: KeyObject;
}

function certificate(common: string, publicKey: KeyObject, issuer: Issuer, serial: number): string {
  const isAuthority = common === issuer.common;
  const extensions = [
    ...(isAuthority ? [extension(19, sequence(hex("0101ff")))] : []), // basic constraints: it can sign others
    extension(17, LOOPBACK), // the names that it is valid for
  ];
  const content = sequence(
    der(0xa0, hex("020102")), // version 3
    der(0x02, Buffer.from([serial])),
    ECDSA_SHA256,
    name(issuer.common),
    FOREVER,
    name(common),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", content, issuer.privateKey));
  const lines =
    sequence(content, ECDSA_SHA256, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** The password of `client.enc.key`. */
export const PASSWORD = "open-sesame";

let made: string | undefined;

/**
 * The path of a file: `ca.pem` signs `server` and `client`, but not `stranger`; each of them has a `.pem` and a `.key`.
 * `client.enc.key` is encrypted with {@link PASSWORD}, and `none.pem` has no certificate.
 */
export function certificateFile(file: string): string {
  made ??= makeAll(mkdtempSync(join(tmpdir(), "indus-certificates-")));
  return join(made, file);
}

function makeAll(folder: string): string {
  const pair = (): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } =>
    generateKeyPairSync("ec", { namedCurve: "P-256" });
  const write = (file: string, text: string | Buffer): void => writeFileSync(join(folder, file), text);
  const authority = pair();
  const issuer = { common: "test authority", privateKey: authority.privateKey };
  write("ca.pem", certificate(issuer.common, authority.publicKey, issuer, 1));
  for (const [at, common] of ["server", "client", "stranger"].entries()) {
    const { publicKey, privateKey } = pair();
    const by = common === "stranger" ? { common, privateKey } : issuer;
    write(`${common}.pem`, certificate(common, publicKey, by, at + 2));
    write(`${common}.key`, privateKey.export({ type: "pkcs8", format: "pem" }));
    if (common !== "client") continue;
    const cipher = { cipher: "aes-256-cbc", passphrase: PASSWORD };
    write("client.enc.key", privateKey.export({ type: "pkcs8", format: "pem", ...cipher }));
  }
  write("none.pem", "Nothing of the kind.\n");
  return folder;
}
