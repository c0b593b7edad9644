import assert from "node:assert/strict";
import { test } from "node:test";
import { printReceipt } from "../src/receipt.js";

test("adds up a receipt", () => {
  const items = [
    { name: "tea", cents: 350, count: 2 },
    { name: "cake", cents: 425, count: 1 },
  ];
  assert.equal(printReceipt(items), "2 x tea  7.00\n1 x cake  4.25\ntotal  11.25");
});

test("prints every amount with two digits of cents", () => {
  const items = [{ name: "stamp", cents: 105, count: 1 }];
  assert.equal(printReceipt(items), "1 x stamp  1.05\ntotal  1.05");
});

test("takes a discount off the sum", () => {
  const items = [{ name: "book", cents: 1999, count: 1 }];
  assert.equal(
    printReceipt(items, { discountPercent: 15 }),
    "1 x book  19.99\ndiscount 15 %  -3.00\ntotal  16.99",
  );
});
