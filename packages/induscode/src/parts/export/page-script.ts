// What an exported page can do: search its text, fold and unfold, and print unfolded. It creates no markup.

export const pageScript: string = `"use strict";
const find = document.getElementById("find");
const words = document.getElementById("words");
const found = document.getElementById("found");
const turns = () => [...document.querySelectorAll(".turn")];
const folds = () => [...document.querySelectorAll("details")];
const texts = new Map();
const textOf = (part) => {
  if (!texts.has(part)) texts.set(part, part.textContent.toLowerCase());
  return texts.get(part);
};
find.hidden = false;
find.addEventListener("submit", (event) => event.preventDefault());
words.addEventListener("input", () => {
  const wanted = words.value.trim().toLowerCase();
  let count = 0;
  for (const turn of turns()) {
    turn.hidden = wanted !== "" && !textOf(turn).includes(wanted);
    if (!turn.hidden) count++;
  }
  if (wanted !== "") for (const fold of folds()) fold.open = textOf(fold).includes(wanted);
  found.textContent = wanted === "" ? "" : count + (count === 1 ? " turn" : " turns");
});
const setAll = (open) => () => folds().forEach((fold) => { fold.open = open; });
document.getElementById("unfold").addEventListener("click", setAll(true));
document.getElementById("fold").addEventListener("click", setAll(false));
let before = [];
addEventListener("beforeprint", () => { before = folds().map((fold) => fold.open); setAll(true)(); });
addEventListener("afterprint", () => folds().forEach((fold, at) => { fold.open = before[at] ?? fold.open; }));
`;
