/** How many are visited before other work gets a turn. */
const AT_ONCE = 500;

export async function inBatches<Item>(items: readonly Item[], visit: (item: Item) => void): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) {
    for (const item of items.slice(at, at + AT_ONCE)) visit(item);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
