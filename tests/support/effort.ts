// How much work something is, on any machine: the processor time of this thread, never wall-clock time, so that neither
// load nor the number of cores matters. Two ways to judge it: against a bound a hundred times above its cost here, or
// by how it grows.

/** Anything shorter cannot be measured, and is repeated. */
const MEASURABLE_MS = 2;
/** The minimum over some rounds counts: other load on the same core makes a round more expensive, and nothing makes it cheaper. */
const MOST_ROUNDS = 12;
const ENOUGH_MS = 60;

/** The processor time of this thread for one call, in milliseconds. */
export function effortMs(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  const begun = process.threadCpuUsage();
  const isEnough = (): boolean => process.threadCpuUsage(begun).user > ENOUGH_MS * 1_000;
  for (let round = 0; round < MOST_ROUNDS && !(round > 0 && isEnough()); round++)
    least = Math.min(least, roundMs(work));
  return least;
}

function roundMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  let calls = 0;
  let spentMs = 0;
  do {
    work();
    calls++;
    const { user, system } = process.threadCpuUsage(before);
    spentMs = (user + system) / 1_000;
  } while (spentMs < MEASURABLE_MS);
  return spentMs / calls;
}

/** How far apart two growth rates must be for a measurement to distinguish them. */
const MARGIN = 10;

type Sizes = readonly [number, number, number];

/**
 * How the effort grows from the first size to the last: `steep` if it grows ten times more than the size itself, as
 * quadratic or worse does over two powers of ten; `even` if it grows with the size or less.
 */
export function growthOf(sizes: Sizes, work: (size: number) => unknown): "even" | "steep" {
  const [small, middle, large] = sizes;
  const effort = (size: number): number => effortMs(() => work(size));
  const least = effort(small);
  // Measuring again could only give less: usually this is all that has to be measured.
  if (
    !isSteep(
      sizes,
      least,
      roundMs(() => work(large)),
    )
  )
    return "even";
  return judgeGrowth(sizes, [least, effort(middle), effort(large)]);
}

/** {@link growthOf} for efforts already measured. */
export function judgeGrowth(sizes: Sizes, efforts: Sizes): "even" | "steep" {
  const isRising = efforts[0] < efforts[1] && efforts[1] < efforts[2];
  return isRising && isSteep(sizes, efforts[0], efforts[2]) ? "steep" : "even";
}

function isSteep(sizes: Sizes, least: number, most: number): boolean {
  return most / least > (MARGIN * sizes[2]) / sizes[0];
}
