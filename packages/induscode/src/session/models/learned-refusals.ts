// What servers have refused for their models, kept between runs so that a session does not start with a refusal. A lesson expires after a
// while: servers change.

import { isoNow, isTable, nowMs } from "indusagi/core";
import type { LessonBook } from "indusagi/llmgateway";
import { HOME_FILES, homePath } from "../../store/home-files.ts";
import { readJsonIfGood } from "../../store/json.ts";
import { replaceFile } from "../../store/replace-file.ts";

const { maxBytes, version } = HOME_FILES.lessons;
const KEPT_MS = 30 * 86_400_000;
const MAX_LESSONS = 500;

interface Noted {
  readonly who: string;
  readonly lesson: string;
  /** The day, in ISO 8601 and UTC. */
  readonly day: string;
}

/** The lesson book in `home`: read when a model is first asked, written when one refuses something new. */
export function learnedRefusals(home: string): LessonBook {
  const path = homePath(home, "lessons");
  let lessons: readonly Noted[] | undefined;
  const known = (): readonly Noted[] => {
    lessons ??= read(path);
    return lessons;
  };
  return {
    recall: (who) => known().flatMap((noted) => (noted.who === who ? [noted.lesson] : [])),
    note(who, lesson) {
      const noted = { who, lesson, day: isoNow().slice(0, 10) };
      // Another session can have added lessons meanwhile.
      const others = read(path).filter((each) => each.who !== who || each.lesson !== lesson);
      lessons = [...others, noted].slice(-MAX_LESSONS);
      try {
        replaceFile(path, `${JSON.stringify({ version, lessons }, undefined, 1)}\n`);
      } catch {
        // If the home is not writable, the next session gets one refusal, and nothing else is lost.
      }
    },
  };
}

function read(path: string): readonly Noted[] {
  const file = readJsonIfGood(path, maxBytes);
  if (!isTable(file) || file.version !== version || !Array.isArray(file.lessons)) return [];
  const now = nowMs();
  return file.lessons.filter((each): each is Noted => {
    if (!isTable(each)) return false;
    const { who, lesson, day } = each;
    const age = now - Date.parse(String(day));
    return typeof who === "string" && typeof lesson === "string" && age >= -86_400_000 && age < KEPT_MS;
  });
}
