// How much work something is, on any machine: the processor time of this thread, never the time on the wall, so that neither
// a load nor the number of cores counts. Two ways to judge it: against a bound a hundred times above what it takes here, or
// by how it grows.

/** Shorter than this it cannot be measured, and is repeated. */
const MEASURABLE_MS = 2;
/** The least of some rounds counts: others on the same core make a round dearer, and nothing makes it cheaper. */
const MOST_ROUNDS = 12;
const ENOUGH_MS = 60;

/** What this thread computes for one call, in milliseconds. */
export function effortMs(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  const begun = process.threadCpuUsage();
  const isEnough = (): boolean => process.threadCpuUsage(begun).user > ENOUGH_MS * 1_000;
  for (let round = 0; round < MOST_ROUNDS && !(round > 0 && isEnough()); round++)
    least = Math.min(least, roundMs(work));
  return least;
}

/** One measurement of it. */
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

/** How far apart the growth of two things must be before a measurement tells them from each other. */
const MARGIN = 10;

type Sizes = readonly [number, number, number];

/**
 * How the effort grows from the first size to the last: `steep` where that is ten times more than the size itself grows,
 * as a square or worse does over two powers of ten. What is `even` grows with its size or less.
 */
export function growthOf(sizes: Sizes, work: (size: number) => unknown): "even" | "steep" {
  const [small, middle, large] = sizes;
  const effort = (size: number): number => effortMs(() => work(size));
  const least = effort(small);
  // Measured again it could only be less: mostly this is all that has to be measured.
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

/** {@link growthOf} for efforts that were measured already. */
export function judgeGrowth(sizes: Sizes, efforts: Sizes): "even" | "steep" {
  const isRising = efforts[0] < efforts[1] && efforts[1] < efforts[2];
  return isRising && isSteep(sizes, efforts[0], efforts[2]) ? "steep" : "even";
}

function isSteep(sizes: Sizes, least: number, most: number): boolean {
  return most / least > (MARGIN * sizes[2]) / sizes[0];
}
