export { createDialogue, type Dialogue, type DialogueOptions } from "./dialogue.ts";
export { type PlainConsoleOptions, runPlainConsole } from "./plain-console.ts";
export { createStyle, type Style } from "./style.ts";
export { itemLine, type LineLook } from "./transcript-lines.ts";
