// The person's Google Cloud credentials, from where Google's own tools look: the file that GOOGLE_APPLICATION_CREDENTIALS names, else the
// login of `gcloud auth application-default login`. Loaded by the first request that needs a token.

import { join } from "node:path";
import { describeError, errorCode, homeFolder, isTable, readBoundedFile } from "indusagi/core";
import type { FoundGoogleCredentials } from "indusagi/llmgateway";

const MAX_BYTES = 256 * 1024;
const TOKEN_URL = "https://oauth2.googleapis.com/token";

/** For kinds of credentials not supported here, the person's own tool can print a key. */
const OTHERWISE =
  'a provider in models.json can use "apiKey": { "command": ["gcloud", "auth", "print-access-token"] } instead';

/** Never rejects. */
export async function findGoogleCredentials(env: NodeJS.ProcessEnv): Promise<FoundGoogleCredentials> {
  const named = env.GOOGLE_APPLICATION_CREDENTIALS?.trim();
  const folder = env.CLOUDSDK_CONFIG?.trim() || join(homeFolder(env), ".config", "gcloud");
  const path = named || join(folder, "application_default_credentials.json");
  let value: unknown;
  try {
    value = JSON.parse(readBoundedFile(path, MAX_BYTES, { followsLinks: true }).toString("utf8"));
  } catch (error) {
    if (errorCode(error) === "ENOENT" && !named)
      return {
        ok: false,
        why:
          `GOOGLE_APPLICATION_CREDENTIALS is not set and ${path} does not exist: gcloud auth application-default login creates ` +
          `it (instance metadata is not used; ${OTHERWISE})`,
      };
    // A parser's message would quote the file.
    const why = error instanceof SyntaxError ? "it is not JSON" : describeError(error);
    return { ok: false, why: `${path} cannot be read: ${why}` };
  }
  const file = isTable(value) ? value : {};
  const missing: string[] = [];
  const text = (name: string): string => {
    const found = file[name];
    if (typeof found === "string" && found.trim() !== "") return found;
    missing.push(name);
    return "";
  };
  const tokenUrl = typeof file.token_uri === "string" && file.token_uri !== "" ? file.token_uri : TOKEN_URL;
  const credentials =
    file.type === "service_account"
      ? ({
          type: "service_account",
          email: text("client_email"),
          privateKey: text("private_key"),
          keyId: typeof file.private_key_id === "string" ? file.private_key_id : undefined,
          tokenUrl,
        } as const)
      : file.type === "authorized_user"
        ? ({
            type: "authorized_user",
            clientId: text("client_id"),
            clientSecret: text("client_secret"),
            refreshToken: text("refresh_token"),
            quotaProject: typeof file.quota_project_id === "string" ? file.quota_project_id : undefined,
            tokenUrl,
          } as const)
        : undefined;
  if (!credentials) {
    const type =
      typeof file.type === "string" ? `credentials of type ${JSON.stringify(file.type)}` : "no type";
    return {
      ok: false,
      why: `${path} has ${type}; expected "service_account" or "authorized_user" (${OTHERWISE})`,
    };
  }
  return missing.length > 0
    ? { ok: false, why: `${path} is missing ${missing.join(", ")}: download the file again` }
    : { ok: true, credentials };
}
