export { type JsonOptions, runJson } from "./json.ts";
export { type PrintOptions, runPrint } from "./print.ts";
