// How a call ended: what the model, the log and the screen get of it.

import { brief } from "indusagi/core";
import type { BoundaryOutcome } from "../contract.ts";
import { ended, type Stop } from "./ended.ts";
import type { Passage } from "./passage.ts";

const PICTURE_OMITTED =
  "[Picture omitted: a feature changed the result, and may have hidden part of what the picture shows.]";
const MAX_IGNORED_CHARS = 300;

/** Of a call that was stopped before the interceptors had let it in. */
export function stoppedOutcome(passage: Passage, { state, message }: Stop): BoundaryOutcome {
  const { call, changes } = passage;
  const outcome = ended(call, state, message);
  return told(passage, {
    ...outcome,
    changes: changes.length > 0 ? changes : undefined,
    finalInput: call.input === passage.sent ? undefined : call.input,
  });
}

/** Of a call that came back. */
export function outcomeOf(passage: Passage): BoundaryOutcome {
  const { args, call, changes, isRewritten, noting, output, ranMs, result, sent, state, text } = passage;
  const files = noting.files();
  const { images, diff, ...report } = noting.report() ?? {};
  // Whoever changes a result may have hidden something of it, and cannot see what a picture or a diff shows.
  const isWhole = state === "ok" && !isRewritten;
  const isOmitted = images !== undefined && state === "ok" && isRewritten;
  return told(passage, {
    id: call.id,
    output,
    text: isOmitted ? `${text}\n${PICTURE_OMITTED}` : text,
    isError: result.isError,
    state,
    ranMs,
    ...report,
    images: isWhole ? images : undefined,
    diff: isWhole ? diff : undefined,
    finalInput: args === sent ? undefined : args,
    changes: changes.length > 0 ? changes : undefined,
    files: files.length > 0 ? files : undefined,
  });
}

/** With a word about arguments that the tool does not take; once for each. */
function told({ call, ignored, session }: Passage, outcome: BoundaryOutcome): BoundaryOutcome {
  const news = ignored.filter((name) => session.isNews(`ignored ${call.name} ${name}`));
  if (news.length === 0) return outcome;
  const names = news.map((name) => JSON.stringify(brief(name))).join(", ");
  return {
    ...outcome,
    text: `${outcome.text}\n[Ignored: ${brief(names, MAX_IGNORED_CHARS)}: no argument of this tool.]`,
  };
}
