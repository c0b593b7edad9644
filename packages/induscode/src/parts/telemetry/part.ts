// Spans of what sessions do, for a collector that speaks OTLP, if the standard variables of OpenTelemetry ask for them.

import type { PartRow } from "../../cli/subcommand-row.ts";

export const telemetryPart: PartRow = {
  name: "telemetry",
  inSession: async ({ env, isTape }) =>
    isTape || !asksForSpans(env)
      ? () => undefined
      : (await import("./session-spans.ts")).joinWithTelemetry(env),
};

/** Nothing else of this part is loaded unless this holds. */
function asksForSpans(env: NodeJS.ProcessEnv): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === "true" || env.OTEL_TRACES_EXPORTER === "none") return false;
  return Boolean(
    env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_TRACES_EXPORTER,
  );
}
