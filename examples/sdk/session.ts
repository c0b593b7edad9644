// `induscode/sdk`: several tasks in one session, in a process of its own.

import { openSession } from "induscode/sdk";

const session = await openSession({ transport: "child", mode: "acceptEdits" });
for (const notice of session.notices) console.error(notice);
const leave = session.subscribe((event) => {
  if (event.type === "call") session.steer("Be brief."); // the model reads it at its next call
});
const first = await session.submit("Write a.txt");
leave();
const fork = await session.fork(1); // the conversation as it was before that line
const second = await session.submit("What did you do?");
for (const { kind } of [first, second]) console.log(kind);
for (const problem of await session.close()) console.error(problem);

const later = await openSession({ transport: "child", resume: fork });
const third = await later.submit("And now?");
console.log(third.kind === "complete" ? third.text : third.kind);
await later.close();
