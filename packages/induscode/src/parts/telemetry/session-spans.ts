// A session's spans: joins the session, hears its events, and sends what they amount to.

import type { JoinSession } from "../../cli/part.ts";
import { VERSION } from "../../cli/version.ts";
import { sessionIn } from "../../session/session-here.ts";
import { spanWish } from "./otel-variables.ts";
import { createSpanFold } from "./span-fold.ts";
import { createSpanSender } from "./span-sender.ts";

export function joinWithTelemetry(env: NodeJS.ProcessEnv): JoinSession {
  const wish = spanWish(env);
  return (scope) => {
    const { conductor, secrets, notices } = sessionIn(scope);
    if ("problem" in wish) {
      notices.tell(`OpenTelemetry: no spans are sent: ${wish.problem}.`);
      return undefined;
    }
    const sender = createSpanSender({ wish, version: VERSION, mask: secrets.value, tell: notices.tell });
    const fold = createSpanFold({
      sessionId: () => conductor.status().sessionId,
      model: () => conductor.status().model,
      holdsContent: wish.holdsContent,
      parent: wish.parent,
      done: sender.add,
    });
    conductor.subscribe(fold.see, { pieces: false });
    return {
      close() {
        fold.end();
        return sender.close();
      },
    };
  };
}
