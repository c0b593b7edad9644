// One clock for all processes of a measurement.

/** Milliseconds of the machine's monotonic clock: comparable between processes, unlike performance.now(). */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
