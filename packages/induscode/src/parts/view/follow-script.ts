// How a page keeps up with its session: it hears that something changed, asks for the turns from the last one on, and replaces what differs.

export const followScript: string = `
const list = document.getElementById("turns");
const news = document.createElement("p");
news.setAttribute("role", "status");
document.querySelector("header").append(news);
let branch;
let work = Promise.resolve();
const isSame = (a, b) => a && b && a.tagName === b.tagName && a.textContent === b.textContent;
const keepUp = async (state) => {
  const { isRunning } = state;
  const from = Math.max(0, list.children.length - 1);
  const answer = await fetch("turns?from=" + from);
  if (!answer.ok) { setTimeout(follow, 1000, state); return; }
  const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
  const text = "<!doctype html><html><body>" + await answer.text() + "</body></html>";
  const fresh = new DOMParser().parseFromString(text, "text/html").body.children;
  let added = 0;
  [...fresh].forEach((turn, at) => {
    const old = list.children[from + at];
    if (!old) { list.append(turn); added++; return; }
    [...turn.children].forEach((part, k) => {
      if (isSame(old.children[k], part)) return;
      added++;
      if (old.children[k]) old.children[k].replaceWith(part); else old.append(part);
    });
  });
  const now = isRunning ? "The session is running" : "The session is not running";
  const told = now + ", turn " + list.children.length + (added ? ", new" : "");
  if (news.textContent !== told) news.textContent = told;
  if (added && atEnd) scrollTo(0, document.documentElement.scrollHeight);
};
const follow = (state) => { work = work.then(() => keepUp(state)).catch(() => {}); }; // the stream fails too, and says so
const source = new EventSource("events");
source.addEventListener("message", ({ data }) => {
  const state = JSON.parse(data);
  if (branch !== undefined && branch !== state.branch) { location.reload(); return; }
  branch = state.branch;
  follow(state);
});
source.addEventListener("error", () => { news.textContent = "indus view has ended, or cannot be reached"; });
`;
