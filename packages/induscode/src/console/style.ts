import { styleText } from "node:util";

/** Colours a piece of a line; the console has no other decoration. */
export interface Style {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
}

/** The console's colours; without `colour` every text stays unchanged. */
export function createStyle(colour: boolean): Style {
  const paint =
    (format: "dim" | "bold" | "green" | "red" | "yellow") =>
    (text: string): string =>
      colour ? styleText(format, text, { validateStream: false }) : text;
  return {
    dim: paint("dim"),
    bold: paint("bold"),
    good: paint("green"),
    bad: paint("red"),
    warn: paint("yellow"),
  };
}
