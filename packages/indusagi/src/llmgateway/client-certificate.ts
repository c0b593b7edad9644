// The certificate that identifies the person to a server (mutual TLS): PEM
// files named by the environment. Read by the first request over https.

import { readBoundedFile } from "../core/bounded-file.ts";
import { describeError, errorCode } from "../core/faults.ts";
import type { ModelFault } from "./contract.ts";

/** Its location. */
export interface ClientCertificate {
  /** A PEM file: the certificate, followed by its issuers' certificates. */
  readonly certPath: string;
  /** A PEM file; absent if the key is in the same file. */
  readonly keyPath?: string | undefined;
  readonly passphrase?: string | undefined;
}

/** Its content, in the form that Node's agents take. */
export interface ClientIdentity {
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string | undefined;
}

export const CLIENT_CERT_VARIABLE = "INDUS_CLIENT_CERT_FILE";
export const CLIENT_KEY_VARIABLE = "INDUS_CLIENT_KEY_FILE";
const CLIENT_PASSPHRASE_VARIABLE = "INDUS_CLIENT_KEY_PASSPHRASE";

/** The one set in the environment; undefined if none is. */
export function clientCertificateIn(
  env: Readonly<Record<string, string | undefined>>,
): ClientCertificate | undefined {
  const certPath = env[CLIENT_CERT_VARIABLE]?.trim();
  const keyPath = env[CLIENT_KEY_VARIABLE]?.trim();
  const passphrase = env[CLIENT_PASSPHRASE_VARIABLE];
  if (!certPath && !keyPath) return undefined;
  return {
    certPath: certPath || (keyPath ?? ""),
    keyPath: keyPath || undefined,
    passphrase: passphrase || undefined,
  };
}

export type ReadIdentity =
  | { readonly ok: true; readonly identity: ClientIdentity }
  | { readonly ok: false; readonly fault: ModelFault };

const MAX_BYTES = 256 * 1024;
const read = new Map<string, ReadIdentity>();

/** Reads it once per process. Never throws; quotes nothing from the files. */
export function readClientCertificate(where: ClientCertificate): ReadIdentity {
  const name = JSON.stringify(where);
  const known = read.get(name);
  if (known) return known;
  const found = readAnew(where);
  if (found.ok) read.set(name, found);
  return found;
}

function readAnew({ certPath, keyPath = certPath, passphrase }: ClientCertificate): ReadIdentity {
  const refuse = (message: string): ReadIdentity => ({ ok: false, fault: { kind: "auth", message } });
  const texts: string[] = [];
  for (const [variable, path] of [
    [CLIENT_CERT_VARIABLE, certPath],
    [CLIENT_KEY_VARIABLE, keyPath],
  ] as const) {
    try {
      texts.push(readBoundedFile(path, MAX_BYTES, { followsLinks: true }).toString("utf8"));
    } catch (error) {
      return refuse(`The file ${path} set in ${variable} cannot be read: ${describeError(error)}.`);
    }
  }
  const [cert = "", key = ""] = texts;
  const identity = { cert, key, passphrase };
  try {
    process.getBuiltinModule("node:tls").createSecureContext(identity);
    return { ok: true, identity };
  } catch (error) {
    return refuse(
      `The client certificate ${certPath} and its key ${keyPath} cannot be used (${errorCode(error) ?? "not PEM"}): expected a ` +
        `PEM certificate, its own PEM key, and the key's passphrase in ${CLIENT_PASSPHRASE_VARIABLE} if it has one.`,
    );
  }
}
