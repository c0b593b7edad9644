import { formatPrice, percentOf } from "./money.js";

/** One line for each item, then the discount if there is one, then the total. */
export function printReceipt(items, { discountPercent = 0 } = {}) {
  const lines = items.map(({ name, cents, count }) => `${count} x ${name}  ${formatPrice(cents * count)}`);
  const sum = items.reduce((total, { cents, count }) => total + cents * count, 0);
  const discount = percentOf(sum, discountPercent);
  if (discount > 0) lines.push(`discount ${discountPercent} %  -${formatPrice(discount)}`);
  lines.push(`total  ${formatPrice(sum - discount)}`);
  return lines.join("\n");
}
