// One request to the network in an addon's name.

import type { FeatureServices } from "../../feature/services.ts";
import type { FetchParams, FetchResult } from "./protocol/messages.ts";
import { refuse, serviceOf } from "./refuse-request.ts";

// `Host` would name a different site to a server of many, and the others determine where a message ends.
const RESERVED_HEADERS =
  /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*)$/i;

export async function fetchForAddon(
  { url, method, headers, body }: FetchParams,
  { network }: Pick<FeatureServices, "network">,
  signal: AbortSignal,
): Promise<FetchResult> {
  const reserved = Object.keys(headers ?? {}).find((name) => RESERVED_HEADERS.test(name));
  if (reserved !== undefined)
    refuse("denied", `the header ${JSON.stringify(reserved.slice(0, 100))} is set by the host`);
  if (!URL.canParse(url)) refuse("params", `"${url.slice(0, 200)}" is not a URL`);
  const send = serviceOf(network(new URL(url).hostname.replace(/^\[|\]$/g, "")));
  const answer = await send({ url, signal, method, headers, body });
  if (answer.kind === "refused") return refuse("denied", answer.message);
  if (answer.kind === "failed") return refuse("failed", answer.message);
  return {
    status: answer.status,
    headers: answer.contentType === "" ? {} : { "content-type": answer.contentType },
    text: new TextDecoder().decode(answer.body),
  };
}
