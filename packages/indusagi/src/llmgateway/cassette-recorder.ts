// Writes what a model answers to a cassette, to be played later.

import { appendFileSync, writeFileSync } from "node:fs";
import { describeError, errorCode } from "../core/faults.ts";
import { CassetteError, cassetteHeader, type TapedDelta } from "./cassette-format.ts";
import type { ModelDelta, ModelProvider } from "./contract.ts";

export interface CassetteRecorderOptions {
  /** What the recording shows, for whoever finds the file. */
  readonly about: string;
  /** Hears of a turn that could not be written. The turn itself goes on: its answer is worth more than the tape. */
  readonly onError: (error: CassetteError) => void;
  /** Hides what must not be kept. */
  readonly mask?: <Value>(turn: Value) => Value;
}

/**
 * Makes any provider one whose completed calls are appended to a new file at `path`, all to the same (one write for each,
 * mode 0600: answers may quote anything). Throws a {@link CassetteError} when the file exists already or cannot be created.
 */
export function createCassetteRecorder(
  path: string,
  { about, onError, mask = (turn) => turn }: CassetteRecorderOptions,
): (provider: ModelProvider) => ModelProvider {
  try {
    writeFileSync(path, cassetteHeader(about), { flag: "wx", mode: 0o600 });
  } catch (error) {
    const reason =
      errorCode(error) === "EEXIST" ? "it exists already; choose another name." : describeError(error);
    throw new CassetteError(`Cannot record to ${path}: ${reason}`);
  }
  let turn = 0;

  return (provider) => ({
    id: provider.id,
    stream: async (request, { signal, onDelta }) => {
      let deltas: TapedDelta[] = [];
      const result = await provider.stream(request, {
        signal,
        onDelta: (delta) => {
          deltas = delta.kind === "retry" ? [] : tape(deltas, delta);
          onDelta(delta);
        },
      });
      if (!result.ok) return result;
      const line = `${JSON.stringify(mask({ turn: ++turn, deltas, reply: result.reply }))}\n`;
      try {
        appendFileSync(path, line);
      } catch (error) {
        turn--;
        onError(new CassetteError(`Cannot record to ${path}: ${describeError(error)}`));
      }
      return result;
    },
  });
}

/** Text that follows text of the same kind is one delta: a recording is for reading. */
function tape(deltas: TapedDelta[], delta: Exclude<ModelDelta, { kind: "retry" }>): TapedDelta[] {
  const last = deltas.at(-1);
  if (delta.kind !== "tool_call" && last?.kind === delta.kind) {
    deltas[deltas.length - 1] = { kind: delta.kind, text: last.text + delta.text };
  } else deltas.push(delta);
  return deltas;
}
