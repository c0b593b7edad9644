// The slowest files start first: started last, one of them keeps a core idle for a minute. Vitest knows how long a
// file took, but not in a fresh clone, where it goes by file size.

import { BaseSequencer, type TestSpecification } from "vitest/node";

export const SLOWEST: readonly string[] = [
  "tests/bombs/bombs.test.ts",
  "tests/e2e/opened-files.test.ts",
  "tests/e2e/dying-addons.test.ts",
  "scripts/conformance/conformance.test.ts",
  "tests/isolation/matrix.test.ts",
  "tests/isolation/landlock.test.ts",
  "tests/isolation/",
  "tests/e2e/deeds.test.ts",
  "tests/e2e/addon-author.test.ts",
  "src/addons/kinds/python-kit.test.ts",
  "src/capabilities/search/grep-engines.test.ts",
  "tests/e2e/command-sandbox.test.ts",
  "tests/e2e/interrupted-commands.test.ts",
  "tests/e2e/services.test.ts",
  "tests/e2e/strange-files.test.ts",
  "tests/e2e/exit-codes.test.ts",
  "tests/e2e/code-addons.test.ts",
  "tests/e2e/hostile-repositories.test.ts",
  "src/boot/side-by-side.test.ts",
  "src/addons/runners/anywhere.test.ts",
  "tests/contributing.test.ts",
  "src/capabilities/backends/command-lifetime.test.ts",
  "src/capabilities/shell/job-lifetime.test.ts",
  "src/capabilities/backends/exchanged-folders.test.ts",
  "src/addons/host.test.ts",
  "src/addons/source/look-budget.test.ts",
  "scripts/conformance/own-runners.test.ts",
  "tests/e2e/strict-providers.test.ts",
  "tests/e2e/required-capabilities.test.ts",
  "tests/e2e/fault-kinds.test.ts",
  "tests/e2e/handler-returns.test.ts",
  "tests/e2e/rich-screens.test.ts",
  "src/addons/sandbox/memory.test.ts",
  "src/addons/process/protocol/protocol-files.test.ts",
  "tests/e2e/",
];

/** Its index in {@link SLOWEST}; unlisted files come after all of it. */
function place({ moduleId }: TestSpecification): number {
  const at = SLOWEST.findIndex((part) => moduleId.includes(part));
  return at < 0 ? SLOWEST.length : at;
}

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const group = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    return sorted.toSorted((one, other) => group(one) - group(other) || place(one) - place(other));
  }
}
