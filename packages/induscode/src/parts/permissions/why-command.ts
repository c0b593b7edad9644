// `/why`: what would be decided about a call in this session.

import { describeError } from "indusagi/core";
import { realPlace } from "../../briefing/text-file.ts";
import type { SessionHere } from "../../session/session-here.ts";
import { concerning } from "./reach-by-answers.ts";
import { callOf, modeInWords, placeOf, whyText } from "./why-text.ts";

export async function whyCommand(
  call: string,
  { cwd, personHome, permissions }: Pick<SessionHere, "cwd" | "personHome" | "permissions">,
): Promise<string> {
  const { explain, modes, isDefaultMode, subjects, sandbox } = permissions;
  try {
    const request = callOf(call, { ...subjects(), cwd, home: personHome, mayGrow: false });
    const place = await placeOf(request, sandbox);
    const words = modeInWords(await modes.settled(), { isDefault: isDefaultMode() });
    const granted = {
      hosts: permissions.hosts(),
      folders: permissions.folders(),
    };
    const concerned = concerning({ ...request, ...place }, granted, { cwd, home: personHome, realPlace });
    return whyText(call, words, await explain({ ...request, ...place }), concerned);
  } catch (error) {
    const words = describeError(error).replace("indus why takes", "Write /why with");
    return words.replace(/write indus why '(.*)'$/, "write /why $1");
  }
}
