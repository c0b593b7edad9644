// Where the time of a run is over (INDUS_LONG_UNTIL), no further test begins, nor a group or a file with what it prepares: what has begun
// ends. scripts/test.mjs names the files.

import { type RunnerTask, type RunnerTestCase, type RunnerTestSuite, TestRunner } from "vitest";
import { isInTime, noteUnplayed } from "./long-form.ts";

export default class TimedRunner extends TestRunner {
  readonly #noted = new Set<string>();

  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    this.#skipIfLate(suite);
    await super.onBeforeRunSuite(suite);
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    this.#skipIfLate(test);
    await super.onBeforeRunTask(test);
  }

  #skipIfLate(task: RunnerTask): void {
    if (isInTime() || task.mode === "skip") return;
    skip(task);
    const { filepath } = task.file;
    if (!this.#noted.has(filepath)) noteUnplayed(filepath);
    this.#noted.add(filepath);
  }
}

function skip(task: RunnerTask): void {
  task.mode = "skip";
  if (task.type === "suite") for (const each of task.tasks) skip(each);
}
