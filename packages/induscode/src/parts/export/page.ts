// A story as one self-contained page: its policy allows no scripts, styles, pictures or addresses but its own, and every text of the
// session is escaped.

import { beginningOf, formatDollars, isoTime } from "indusagi/core";
import type { ImageBlock, Usage } from "indusagi/llmgateway";
import { formatCount, formatDuration, formatUsage } from "../../console/figures.ts";
import type { Line } from "../../tui/screen/spans.ts";
import { diffRows } from "../../tui/transcript/diff-lines.ts";
import { createHighlighter } from "../../tui/transcript/highlight.ts";
import { createMarkdown, type Highlighter } from "../../tui/transcript/markdown.ts";
import { escaped, framed } from "./frame.ts";
import { pageScript } from "./page-script.ts";
import type { Story, StoryItem, StoryTurn } from "./story.ts";

/** The width at which tables and code are laid out. */
const COLUMNS = 100;
/** Of one call's text; the JSON export has all of it. */
const MAX_CALL_CHARS = 100_000;
const PICTURES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** `follow`: a script that keeps the page up to date with the server that it comes from. */
export async function storyPage(story: Story, follow?: string): Promise<string> {
  const title = escaped(oneLine(story.title) || "A session");
  const began = isoTime(story.turns[0]?.at ?? Number.NaN);
  const body = `<a class="skip" href="#turns">Skip to the conversation</a>
<header>
<h1>${title}</h1>
<p>${escaped(story.folder)} · ${escaped(story.models.join(", "))} · ${count(story.turns.length, "turn")}${began === undefined ? "" : ` · <time datetime="${began}">${began.slice(0, 16).replace("T", " ")} UTC</time>`}</p>
<form role="search" id="find" hidden><label for="words">Find</label> <input id="words" type="search" autocomplete="off"> <output id="found" aria-live="polite"></output> <button type="button" id="unfold">Unfold all</button> <button type="button" id="fold">Fold all</button></form>
</header>
<main>
${chart(story.turns)}
${filesOf(story)}
<section id="turns" aria-label="Conversation" tabindex="-1">
${await turnsFrom(story, 0)}
</section>
</main>
<footer><p>Session ${escaped(story.id)}, indus ${escaped(story.version)}. Known secrets are masked.</p></footer>`;
  return framed(title, body, { script: pageScript + (follow ?? ""), connects: follow !== undefined });
}

/** The turns from the one with this index on. */
export async function turnsFrom({ turns }: Story, from: number): Promise<string> {
  const highlight = await loadedHighlighter();
  return turns
    .slice(from)
    .map((turn, at) => turnOf(turn, from + at, highlight))
    .join("\n");
}

async function loadedHighlighter(): Promise<Highlighter> {
  const { highlight, ready } = createHighlighter(() => undefined);
  await ready();
  return highlight;
}

function turnOf(turn: StoryTurn, at: number, highlight: Highlighter): string {
  const used = [
    turn.usage.outputTokens > 0 ? formatUsage(turn.usage) : "",
    turn.dollars > 0 ? formatDollars(turn.dollars) : "",
    turn.ms > 0 ? formatDuration(turn.ms) : "",
  ].filter(Boolean);
  const title = escaped(beginningOf(oneLine(turn.said), 80)) || "(no text)";
  return `<article class="turn" id="turn-${at + 1}">
<h2><a href="#turn-${at + 1}">${at + 1}</a> ${title}</h2>
<p class="used">${used.join(" · ")}</p>
<div class="said">${escaped(turn.said)}${picturesOf(turn.images)}</div>
${changed(turn.changes)}
${turn.items.map((item) => itemOf(item, highlight)).join("\n")}
</article>`;
}

function itemOf(item: StoryItem, highlight: Highlighter): string {
  const changes = changed(item.changes);
  if (item.kind === "answer") {
    const thinking =
      item.thinking.trim() === ""
        ? ""
        : folded("thinking", "Thinking", `<div class="rows">${markdown(item.thinking, highlight)}</div>`);
    const cut =
      item.stop === "interrupted" || item.stop === "max_output"
        ? `<p class="note">The answer was cut off (${item.stop}).</p>`
        : "";
    return `<div class="answer">${thinking}<div class="rows">${markdown(item.text, highlight)}</div>${cut}${changes}</div>`;
  }
  if (item.kind === "note")
    return item.text === ""
      ? `<p class="note">${escaped(item.label)}</p>${changes}`
      : `${folded("note", escaped(item.label), `<pre tabindex="0">${clipped(item.text)}</pre>`)}${changes}`;
  const mark = item.state === "ok" ? "✓" : "✗";
  const whose = item.feature === "" ? "" : ` <span class="dim">from ${escaped(item.feature)}</span>`;
  const head = `<span class="${item.state === "ok" ? "good" : "bad"}">${mark}</span> <b>${escaped(item.name)}</b> ${escaped(oneLine(item.title))} <span class="dim">${formatDuration(item.ms)}${item.state === "ok" ? "" : `, ${escaped(item.state)}`}${item.status === "" ? "" : `, ${escaped(item.status)}`}</span>${whose}`;
  const result =
    item.diff === ""
      ? `<pre tabindex="0">${clipped(item.text)}</pre>`
      : `<pre class="rows" tabindex="0">${diffRows(item.diff.slice(0, MAX_CALL_CHARS), COLUMNS)
          .rows.map((row) => `${lineOf(row)}\n`)
          .join("")}</pre>`;
  const input = `<pre tabindex="0" aria-label="Arguments">${clipped(JSON.stringify(item.input, undefined, 2))}</pre>`;
  return `${folded("call", head, `${input}${result}${picturesOf(item.images)}`)}${changes}`;
}

function folded(name: string, summary: string, body: string): string {
  return `<details class="${name}"><summary>${summary}</summary>${body}</details>`;
}

function clipped(text: string): string {
  const more = text.length - MAX_CALL_CHARS;
  return more <= 0
    ? escaped(text)
    : `${escaped(text.slice(0, MAX_CALL_CHARS))}\n… ${count(more, "character")} more, in the JSON`;
}

function changed(changes: readonly string[]): string {
  return changes.length === 0 ? "" : `<p class="changed">changed by ${escaped(changes.join(", "))}</p>`;
}

function picturesOf(images: readonly ImageBlock[]): string {
  return images
    .map(({ mediaType, data }) =>
      PICTURES.has(mediaType) && /^[A-Za-z0-9+/]*={0,2}$/.test(data)
        ? `<img alt="An image from the session" src="data:${mediaType};base64,${data}">`
        : `<p class="note">[image or document not shown]</p>`,
    )
    .join("");
}

function markdown(text: string, highlight: Highlighter): string {
  const stream = createMarkdown(COLUMNS, highlight);
  return [...stream.write(text), ...stream.end()]
    .map((row) => `<div>${lineOf(row) || "&nbsp;"}</div>`)
    .join("");
}

function lineOf(line: Line): string {
  return line
    .map(({ text, marks, link }) => {
      const shown =
        marks.length === 0
          ? escaped(text)
          : `<span class="${marks.map((mark) => `m-${mark}`).join(" ")}">${escaped(text)}</span>`;
      return link === undefined ? shown : `<a href="${escaped(link)}" rel="noopener noreferrer">${shown}</a>`;
    })
    .join("");
}

const CHART_HEIGHT = 60;
/** If there are more turns, several share a bar. */
const MAX_BARS = 120;

function paidInFull({ inputTokens, cacheWriteTokens, outputTokens }: Usage): number {
  return inputTokens + cacheWriteTokens + outputTokens;
}

/** Bars by turn, and the same data as a table for those who cannot see them. */
function chart(turns: readonly StoryTurn[]): string {
  if (turns.length < 2) return "";
  const share = Math.ceil(turns.length / MAX_BARS);
  const rows = [
    { name: "Tokens, without cached", of: ({ usage }: StoryTurn) => paidInFull(usage), show: formatCount },
    { name: "Cost", of: (turn: StoryTurn) => turn.dollars, show: formatDollars },
    { name: "Time", of: (turn: StoryTurn) => turn.ms, show: formatDuration },
  ];
  const figures = rows.map(({ name, of, show }) => {
    const sums = Array.from({ length: Math.ceil(turns.length / share) }, (_, at) =>
      turns.slice(at * share, (at + 1) * share).reduce((sum, turn) => sum + of(turn), 0),
    );
    const most = Math.max(...sums);
    const all = sums.reduce((sum, each) => sum + each, 0);
    const bars = sums.map((sum, at) => {
      const height = most === 0 ? 0 : Math.max(sum > 0 ? 1 : 0, (sum / most) * CHART_HEIGHT);
      return `<rect x="${at * 8}" y="${(CHART_HEIGHT - height).toFixed(1)}" width="6" height="${height.toFixed(1)}"/>`;
    });
    return `<figure><figcaption>${name}: ${show(all)}</figcaption><svg viewBox="0 0 ${sums.length * 8} ${CHART_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${name} by turn, maximum ${show(most)}">${bars.join("")}</svg></figure>`;
  });
  const table = turns.map(
    (turn, at) =>
      `<tr><th scope="row"><a href="#turn-${at + 1}">${at + 1}</a></th>${rows.map(({ of, show }) => `<td>${show(of(turn))}</td>`).join("")}</tr>`,
  );
  const head = `<tr><th scope="col">Turn</th>${rows.map(({ name }) => `<th scope="col">${name}</th>`).join("")}</tr>`;
  return `<section class="chart" aria-label="Tokens, cost and time by turn">${figures.join("")}${folded("figures", "Figures by turn", `<table><thead>${head}</thead><tbody>${table.join("")}</tbody></table>`)}</section>`;
}

function filesOf({ files }: Story): string {
  if (files.length === 0) return "";
  const rows = files.map(({ path, writers, by }) => {
    const where = writers
      .map(({ turn, tools }) => `<a href="#turn-${turn}">${turn}</a> (${escaped(tools.join(", "))})`)
      .join(", ");
    return `<li><code>${escaped(path)}</code> in turn ${where}${by.length > 0 ? `, changed by ${escaped(by.join(", "))}` : ""}</li>`;
  });
  return `<section class="files" aria-labelledby="files"><h2 id="files">Files that were written</h2><ul>${rows.join("")}</ul></section>`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
