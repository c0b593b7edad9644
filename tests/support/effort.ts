// How much work something is, on any machine: the processor time of this thread, never the time on the wall, so that neither
// a load nor the number of cores counts. Two ways to judge it: against a bound a hundred times above what it takes here, or
// by how it grows.

/** Shorter than this it cannot be measured, and is repeated. */
const MEASURABLE_MS = 2;
const ROUNDS = 3;

/** What this thread computes for one call, in milliseconds: the least of some rounds. */
export function effortMs(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.threadCpuUsage();
    let calls = 0;
    let spentMs = 0;
    do {
      work();
      calls++;
      const { user, system } = process.threadCpuUsage(before);
      spentMs = (user + system) / 1_000;
    } while (spentMs < MEASURABLE_MS);
    least = Math.min(least, spentMs / calls);
  }
  return least;
}

/** How far apart the growth of two things must be before a measurement tells them from each other. */
const MARGIN = 10;

/**
 * How the effort grows from the first size to the last: `steep` where that is ten times more than the size itself grows,
 * as a square or worse does over two powers of ten. What is `even` grows with its size or less.
 */
export function growthOf(
  sizes: readonly [number, number, number],
  work: (size: number) => unknown,
): "even" | "steep" {
  const efforts = sizes.map((size) => effortMs(() => work(size)));
  const [small, , large] = sizes;
  const isRising = efforts.every((effort, at) => at === 0 || effort > (efforts[at - 1] ?? 0));
  const grown = (efforts[2] ?? 0) / (efforts[0] ?? 1);
  return isRising && grown > (MARGIN * large) / small ? "steep" : "even";
}
