// Amounts are whole cents everywhere; only here do they become text.

/** Cents as a price: 1999 becomes "19.99". */
export function formatPrice(cents) {
  const whole = Math.floor(cents / 100);
  const rest = String(cents % 100);
  return `${whole}.${rest}`;
}

/** The part of an amount that a percentage stands for, rounded to the nearest cent. */
export function percentOf(cents, percent) {
  return Math.round((cents * percent) / 100);
}
