// The time that an MCP server has to start, whatever it is asked meanwhile: one that does not answer is told with the step at which it hangs.

import { START_ADVICE } from "../../process/protocol/start-advice.ts";

/** Waits for the answer to one question, which a message calls by its name. */
export type Asking = <Answer>(question: string, answer: Promise<Answer>) => Promise<Answer>;

/** After the start, a call's own deadline applies. */
export const askFreely: Asking = (_question, answer) => answer;

export interface StartTime {
  /** Rejects when the time of the whole start is over. */
  readonly ask: Asking;
  /** The same for questions that have at most `ms` together: what only they are about is left out then. */
  readonly askBriefly: (ms: number) => Asking;
}

/** The time begins now. */
export function beginStart(startMs: number): StartTime {
  const endMs = performance.now() + startMs;
  const whole = `${startMs / 1_000} s, ${START_ADVICE}`;
  return {
    ask: askingUntil(endMs, whole),
    askBriefly(ms) {
      const briefEndMs = performance.now() + ms;
      return briefEndMs < endMs ? askingUntil(briefEndMs, `${ms / 1_000} s`) : askingUntil(endMs, whole);
    },
  };
}

function askingUntil(endMs: number, inWords: string): Asking {
  return async (question, answer) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const fail = (): void => reject(new Error(`the server did not answer ${question} within ${inWords}`));
      timer = setTimeout(fail, Math.max(0, endMs - performance.now()));
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
      answer.catch(() => undefined); // nobody waits for it any more
    }
  };
}
