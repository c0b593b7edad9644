// Every parser that has a corpus here.

import { ADDON_PARSERS } from "./addon.ts";
import { CONSOLE_PARSERS } from "./console.ts";
import { MODEL_PARSERS } from "./model.ts";
import type { Parser } from "./parser.ts";
import { RULE_PARSERS } from "./permission-rules.ts";
import { REPOSITORY_PARSERS } from "./repository.ts";
import { TOOL_PARSERS } from "./tools.ts";

export const PARSERS: readonly Parser[] = [
  ...MODEL_PARSERS,
  ...REPOSITORY_PARSERS,
  ...RULE_PARSERS,
  ...ADDON_PARSERS,
  ...TOOL_PARSERS,
  ...CONSOLE_PARSERS,
];
