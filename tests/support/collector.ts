// A collector on loopback that speaks OTLP over HTTP, as JSON.

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface Attribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: string;
    readonly doubleValue?: number;
    readonly boolValue?: boolean;
    readonly arrayValue?: { readonly values: readonly { readonly stringValue?: string }[] };
  };
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface SentBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

export interface CollectedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Collector {
  readonly url: string;
  readonly requests: readonly CollectedRequest[];
  readonly spans: () => readonly SentSpan[];
  readonly resource: () => Readonly<Record<string, unknown>>;
}

/** Closed with the test. `answers`: with which status; `never` leaves each request open. */
export async function startCollector(answers: number | "never" = 200): Promise<Collector> {
  const requests: CollectedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { url: path = "", headers } = request;
      requests.push({ path, headers, text: Buffer.concat(chunks).toString() });
      if (answers !== "never") response.writeHead(answers, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const bodies = (): readonly SentBody[] => requests.map(({ text }) => JSON.parse(text) as SentBody);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () =>
      bodies().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    resource: () => valuesOf(bodies()[0]?.resourceSpans[0]?.resource.attributes ?? []),
  };
}

/** Attributes as a table. */
export function valuesOf(attributes: readonly Attribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.intValue === undefined
        ? (value.stringValue ??
          value.doubleValue ??
          value.boolValue ??
          value.arrayValue?.values.map((v) => v.stringValue))
        : Number(value.intValue),
    ]),
  );
}
