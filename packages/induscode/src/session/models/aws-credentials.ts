// The person's AWS credentials, from where AWS's own tools look: the environment, the profile in `~/.aws`, and the program that a profile
// names (`credential_process`). Loaded by the first request that must be signed.

import { join } from "node:path";
import { describeError, errorCode, homeFolder, isTable, readBoundedFile } from "indusagi/core";
import type { FoundAwsCredentials } from "indusagi/llmgateway";
import { runKeyCommand } from "../../settings/key-command.ts";

const MAX_BYTES = 1024 * 1024;

type Section = Readonly<Record<string, string>>;

/** Never rejects. */
export async function findAwsCredentials(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<FoundAwsCredentials> {
  const own = credentialsOf({
    aws_access_key_id: env.AWS_ACCESS_KEY_ID?.trim() ?? "",
    aws_secret_access_key: env.AWS_SECRET_ACCESS_KEY?.trim() ?? "",
    aws_session_token: env.AWS_SESSION_TOKEN?.trim() ?? "",
  });
  if (own) return { ok: true, credentials: own };
  const name = env.AWS_PROFILE?.trim() || "default";
  const folder = join(homeFolder(env), ".aws");
  const places = [
    [env.AWS_SHARED_CREDENTIALS_FILE?.trim() || join(folder, "credentials"), name],
    [env.AWS_CONFIG_FILE?.trim() || join(folder, "config"), name === "default" ? name : `profile ${name}`],
  ] as const;
  let command: string | undefined;
  for (const [path, header] of places) {
    let section: Section | undefined;
    try {
      section = sectionOf(readBoundedFile(path, MAX_BYTES, { followsLinks: true }).toString("utf8"), header);
    } catch (error) {
      if (errorCode(error) === "ENOENT") continue;
      return { ok: false, why: `${path} cannot be read: ${describeError(error)}` };
    }
    const kept = section && credentialsOf(section);
    if (kept) return { ok: true, credentials: kept };
    command ??= section?.credential_process;
  }
  if (command !== undefined) return fromProcess(command, env, signal);
  return {
    ok: false,
    why:
      `neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor the profile "${name}" in ${folder} contain credentials or a ` +
      "credential_process (SSO logins, assumed roles and instance metadata are not supported: add to the profile " +
      "credential_process = aws configure export-credentials --format process --profile NAME)",
  };
}

function credentialsOf({
  aws_access_key_id: accessKeyId,
  aws_secret_access_key: secretAccessKey,
  aws_session_token: sessionToken,
}: Section): Extract<FoundAwsCredentials, { ok: true }>["credentials"] | undefined {
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: sessionToken || undefined };
}

/** The settings under `[header]`; undefined if there is no such section. */
function sectionOf(text: string, header: string): Section | undefined {
  const found: Record<string, string> = {};
  let isIn = false;
  let isThere = false;
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim();
    if (trimmed.startsWith("[")) {
      isIn = trimmed.slice(1, trimmed.indexOf("]")).trim().split(/\s+/).join(" ") === header;
      isThere ||= isIn;
    } else if (isIn && !trimmed.startsWith("#") && !trimmed.startsWith(";")) {
      const at = trimmed.indexOf("=");
      if (at > 0) found[trimmed.slice(0, at).trim()] = trimmed.slice(at + 1).trim();
    }
  }
  return isThere ? found : undefined;
}

/** The program answers in JSON, version 1, with an expiry (AWS's reference for sourcing credentials with an external process). */
async function fromProcess(
  command: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<FoundAwsCredentials> {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const printed = await runKeyCommand(words, env, signal);
  const what = `the credential_process of the profile (${words[0]})`;
  if (!printed.ok) return { ok: false, why: `${what} ${printed.why}` };
  let answer: unknown;
  try {
    answer = JSON.parse(printed.text);
  } catch {
    return { ok: false, why: `${what} did not print JSON` };
  }
  const fields = isTable(answer) ? answer : {};
  const text = (name: string): string => (typeof fields[name] === "string" ? fields[name] : "");
  const credentials = credentialsOf({
    aws_access_key_id: text("AccessKeyId"),
    aws_secret_access_key: text("SecretAccessKey"),
    aws_session_token: text("SessionToken"),
  });
  if (fields.Version !== 1 || !credentials)
    return { ok: false, why: `${what} did not print version 1 credentials` };
  const untilMs = Date.parse(text("Expiration"));
  return { ok: true, credentials, untilMs: Number.isNaN(untilMs) ? undefined : untilMs };
}
