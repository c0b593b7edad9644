/** `$1.20`; below one cent with two significant digits: `$0.0042`. */
export function formatDollars(dollars: number): string {
  if (dollars === 0 || dollars >= 0.01) return `$${dollars.toFixed(2)}`;
  const places = Math.min(10, 1 - Math.floor(Math.log10(dollars)));
  return `$${dollars.toFixed(places)}`;
}
