// A file in a task, between marks that say where it begins and ends: what is in it was not said by the person.

/** Whole, as the model may have to change it. A text that holds such a mark itself gets others, so that it cannot end its own frame. */
export function fileFrame(path: string, text: string): string {
  const taken = new Set(text.match(/<\/file(?:-\d+)?/gi)?.map((end) => end.slice(2).toLowerCase()));
  let mark = "file";
  for (let at = 1; taken.has(mark); at++) mark = `file-${at}`;
  const name = JSON.stringify(path).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
  return `<${mark} path=${name}>\n${text}\n</${mark}>`;
}

/** Whether a text is {@link fileFrame}'s. */
export function isFileFrame(text: string): boolean {
  return /^<file(?:-\d+)? path=/.test(text);
}
