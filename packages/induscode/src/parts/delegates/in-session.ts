// What delegates do in a session: it hands them work, and tells the model of them again after a summary.

import { clamp } from "indusagi/core";
import type { JoinSession, PartPlace } from "../../cli/part.ts";
import { LogError } from "../../conductor/log.ts";
import { counted } from "../../conductor/log-reader.ts";
import { clampedLine, MAX_QUOTED_BYTES } from "../../feature/host.ts";
import { TASK_TOOL } from "../../feature/tool-names.ts";
import { type SessionHere, sessionIn } from "../../session/session-here.ts";
import { BACKGROUND, type BackgroundDelegate, DELEGATES, DelegateProblem } from "./delegate-desk.ts";
import { createDelegates, type DelegatesDeps } from "./delegates.ts";
import type { LoggedDelegate } from "./feature-sessions.ts";

export function joinWithDelegates({ isTape: oneByOne = false }: PartPlace): JoinSession {
  return (scope) => {
    const here = sessionIn(scope);
    const logged: LoggedDelegate[] = [];
    const delegates = createDelegates({ ...depsIn(here), oneByOne, before: () => logged });
    scope.put(DELEGATES, delegates);
    scope.put(BACKGROUND, delegates.all);
    return {
      host: () => ({ sessions: delegates.sessionsOf }),
      entered(entries) {
        logged.splice(0, logged.length, ...entries.filter((entry) => entry.type === "delegate"));
      },
      afterSummary() {
        const open = delegates.list().map(delegateText);
        return open.length > 0 ? [`Background delegates:\n${open.join("\n")}`] : [];
      },
      async stop() {
        const working = await delegates.close();
        if (working > 0)
          here.notices.tell(`The session has ended: stopped ${counted(working, "background delegate")}`);
      },
    };
  };
}

function depsIn(here: SessionHere): Omit<DelegatesDeps, "oneByOne" | "before"> {
  const { conductor, notices, profiles, permissions, features } = here;
  return {
    profiles,
    open(profile, how) {
      try {
        return here.openDelegate(profile, how);
      } catch (error) {
        throw error instanceof LogError ? new DelegateProblem(error.message) : error;
      }
    },
    modelProblem: (name) => modelProblem(here, name),
    announce: conductor.announce,
    note: conductor.noteDelegate,
    notify: (text) => void conductor.notify("delegates", text, { maxBytes: MAX_QUOTED_BYTES }),
    alert: (feature, text) => notices.alert(feature, clampedLine(text)),
    permits(feature, agent, signal) {
      const accesses = [{ kind: "delegate", agent } as const];
      return permissions.permits({ tool: TASK_TOOL, accesses, by: feature }, signal);
    },
    onRemoved: (listener) =>
      features.registry.onChange(async ({ removed }) => {
        if (removed) await listener(removed.report.feature);
      }),
  };
}

/** A call may choose only among the person's providers: what a delegate reads goes to no other. */
async function modelProblem(
  { conductor, models, profiles }: SessionHere,
  name: string,
): Promise<string | undefined> {
  const found = await models.resolve(name);
  if (!found.ok) return found.fault.message;
  if (found.name === undefined) return undefined; // a recording answers under any name
  const own = profiles.flatMap(({ model }) => model ?? []);
  const chosen = [conductor.status().model, ...models.fallbacks, ...own].map(providerOf);
  if (chosen.includes(providerOf(found.name))) return undefined;
  const among = [...new Set(chosen)].join(", ");
  return `expected a model from a provider that the person uses (${among}), found one of ${providerOf(found.name)}`;
}

function providerOf(model: string): string {
  return model.split("/", 1)[0] ?? "";
}

const MAX_REPORT_BYTES: number = 2 * 1024;

function delegateText({ id, agent, objective, state, said }: BackgroundDelegate): string {
  const report =
    state === "working" || said === ""
      ? ""
      : `\n${clamp(said, { kind: "middle", maxBytes: MAX_REPORT_BYTES })}`;
  return `- ${id} (${agent}), ${state}: ${clamp(objective, { kind: "middle", maxBytes: 400 })}${report}`;
}
