import { bool, type SettingRow } from "../../settings/setting-row.ts";

export const MEMORY: SettingRow<boolean> = {
  name: "memory",
  check: bool,
  does: "whether the model sees its memory",
  otherwise: "if there is any",
  guide:
    "`false`: nothing is [remembered](sessions.md#memory); `true`: the model has its tool from the start.",
};
