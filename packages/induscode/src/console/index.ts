export { createDialogue, type Dialogue, type DialogueOptions } from "./dialogue.ts";
export { type PlainConsoleOptions, runPlainConsole } from "./plain-console.ts";
export { createStyle, type Style } from "./style.ts";
export { eventLine, type LineLook } from "./transcript-lines.ts";
