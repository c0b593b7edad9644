// The slowest files start first, and of those the ones whose process stays small: started last, a slow one keeps a core idle for a
// minute. Vitest knows how long a file took, but not in a fresh clone, where it goes by file size. Where there is not time for all
// (INDUS_LONG_UNTIL), they start last: in the time of one of them there are ten others.

import { BaseSequencer, type TestSpecification } from "vitest/node";

export const SLOWEST: readonly string[] = [
  "tests/bombs/bombs.test.ts",
  "tests/isolation/matrix.test.ts",
  "tests/isolation/quarantine.test.ts",
  "tests/isolation/twins.test.ts",
  "scripts/conformance/conformance.test.ts",
  "tests/e2e/opened-files.test.ts",
  "tests/e2e/dying-addons.test.ts",
  "tests/e2e/deeds.test.ts",
  "tests/e2e/addon-author.test.ts",
  "tests/e2e/command-sandbox.test.ts",
  "tests/e2e/interrupted-commands.test.ts",
  "tests/e2e/services.test.ts",
  "tests/e2e/strange-files.test.ts",
  "tests/e2e/exit-codes.test.ts",
  "tests/e2e/code-addons.test.ts",
  "tests/e2e/hostile-repositories.test.ts",
  "tests/contributing.test.ts",
  "tests/e2e/strict-providers.test.ts",
  "tests/e2e/required-capabilities.test.ts",
  "tests/e2e/fault-kinds.test.ts",
  "tests/e2e/rich-screens.test.ts",
  "tests/e2e/",
  // These load much of the product into their worker. Each process that it starts from then on costs more: the system copies the
  // worker's page tables for it.
  "tests/isolation/landlock.test.ts",
  "tests/isolation/",
  "src/addons/kinds/python-kit.test.ts",
  "src/capabilities/search/grep-engines.test.ts",
  "src/session/side-by-side.test.ts",
  "src/addons/runners/anywhere.test.ts",
  "src/capabilities/backends/command-lifetime.test.ts",
  "src/capabilities/shell/job-lifetime.test.ts",
  "src/capabilities/backends/exchanged-folders.test.ts",
  "src/addons/host.test.ts",
  "src/addons/source/within-look.test.ts",
  "scripts/conformance/own-runners.test.ts",
  "src/addons/sandbox/memory.test.ts",
  "src/addons/process/protocol/protocol-files.test.ts",
];

/** Its index in {@link SLOWEST}; unlisted files come after all of it. */
function place({ moduleId }: TestSpecification): number {
  const at = SLOWEST.findIndex((part) => moduleId.includes(part));
  return at < 0 ? SLOWEST.length : at;
}

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const sign = process.env.INDUS_LONG_UNTIL === undefined ? 1 : -1;
    const group = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    return sorted.toSorted((one, other) => group(one) - group(other) || sign * (place(one) - place(other)));
  }
}
