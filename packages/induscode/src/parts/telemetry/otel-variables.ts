// What the standard variables of OpenTelemetry say about spans.

import { describeError } from "indusagi/core";

export interface SpanWish {
  /** Where spans are sent, by OTLP over HTTP as JSON. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** For one request. */
  readonly timeoutMs: number;
  readonly resource: Readonly<Record<string, string>>;
  /** What was said, written and returned is part of the spans. */
  readonly holdsContent: boolean;
  /** The span of whoever started this process. */
  readonly parent: { readonly traceId: string; readonly spanId: string } | undefined;
}

const DEFAULT_ENDPOINT = "http://localhost:4318";
const DEFAULT_TIMEOUT_MS = 10_000;
const PARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Says why nothing is sent if something cannot be done. */
export function spanWish(env: NodeJS.ProcessEnv): SpanWish | { readonly problem: string } {
  const exporter = env.OTEL_TRACES_EXPORTER || "otlp";
  if (!exporter.split(",").includes("otlp"))
    return { problem: `OTEL_TRACES_EXPORTER is "${exporter}"; expected "otlp" or "none"` };
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || "http/json";
  if (!protocol.startsWith("http/"))
    return {
      problem: `OTEL_EXPORTER_OTLP_PROTOCOL is "${protocol}"; expected "http/json" (a collector takes it at the port of http/protobuf, usually 4318)`,
    };
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const endpoint =
    own || `${(env.OTEL_EXPORTER_OTLP_ENDPOINT || DEFAULT_ENDPOINT).replace(/\/$/, "")}/v1/traces`;
  const variable = own ? "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" : "OTEL_EXPORTER_OTLP_ENDPOINT";
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    return { problem: `${variable} is not an address; expected an address like ${DEFAULT_ENDPOINT}` };
  const timeout = Number(env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT || env.OTEL_EXPORTER_OTLP_TIMEOUT);
  const [, traceId, spanId] = PARENT.exec(env.TRACEPARENT ?? "") ?? [];
  try {
    return {
      url: new URL(endpoint),
      headers: pairsIn(env, "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"),
      timeoutMs: timeout > 0 ? timeout : DEFAULT_TIMEOUT_MS,
      resource: {
        ...{ "service.name": "indus", ...pairsIn(env, "OTEL_RESOURCE_ATTRIBUTES") },
        ...(env.OTEL_SERVICE_NAME ? { "service.name": env.OTEL_SERVICE_NAME } : undefined),
      },
      holdsContent: env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.toLowerCase() === "true",
      parent: traceId && spanId ? { traceId, spanId } : undefined,
    };
  } catch (error) {
    return { problem: describeError(error) };
  }
}

/** `name=value,name=value`, percent-encoded, of the first variable that is set. Throws what names it where it is not. */
function pairsIn(env: NodeJS.ProcessEnv, ...variables: readonly string[]): Readonly<Record<string, string>> {
  const variable = variables.find((name) => env[name]) ?? "";
  const pairs = (env[variable] ?? "").split(",").flatMap((pair): readonly (readonly [string, string])[] => {
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim(), variable)]];
  });
  return Object.fromEntries(pairs);
}

/** The value is not told: a header's is a secret. */
function decoded(text: string, variable: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`${variable} cannot be read; expected name=value,name=value, with % written as %25`);
  }
}
