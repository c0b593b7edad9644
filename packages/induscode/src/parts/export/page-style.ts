// How an exported page looks: the console's own colours, on paper and on a light or dark screen.

import { MARKS, type MarkColours, THEMES } from "../../tui/screen/theme.ts";

/** The style of the page; identical for every session, so its digest is too. */
export function pageStyle(): string {
  return `${BASE}${marks(THEMES.light)}@media screen and (prefers-color-scheme: dark){${DARK}${marks(THEMES.dark)}}${PRINT}`;
}

function marks(theme: Readonly<Partial<Record<string, MarkColours>>>): string {
  return MARKS.map((mark) => {
    const { fore, back, bold, dim, italic, underline, strike } = theme[mark] ?? {};
    const rules = [
      ...(typeof fore === "string" ? [`color:${fore}`] : []),
      ...(typeof back === "string" ? [`background:${back}`] : []),
      ...(bold ? ["font-weight:600"] : []),
      ...(dim ? ["color:var(--dim)"] : []),
      ...(italic ? ["font-style:italic"] : []),
      ...(underline || strike ? [`text-decoration:${underline ? "underline" : "line-through"}`] : []),
    ];
    return rules.length === 0 ? "" : `.m-${mark}{${rules.join(";")}}`;
  }).join("");
}

const BASE = `:root{color-scheme:light dark;--fore:#1c2128;--back:#fff;--soft:#f3f5f7;--line:#c9d1d9;--dim:#57606a;--accent:#0b6177;--good:#1a7f37;--bad:#b3261e}
*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:1rem;color:var(--fore);background:var(--back);font:15px/1.5 system-ui,sans-serif}
a{color:var(--accent)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.05rem;overflow-wrap:anywhere;margin:0}
header p,.used,footer,.dim,figcaption{color:var(--dim)}.used{margin:.1rem 0 .6rem;font-size:.85rem}
#find{position:sticky;top:0;padding:.4rem 0;background:var(--back)}
input,button{font:inherit;color:inherit;background:var(--soft);border:1px solid var(--dim);border-radius:4px;padding:.15rem .5rem}
.turn{border-top:1px solid var(--line);padding:1rem 0}
.said{white-space:pre-wrap;overflow-wrap:anywhere;border-left:4px solid var(--accent);padding:.3rem .8rem;background:var(--soft)}
.rows,pre,code{font:13px/1.45 ui-monospace,monospace}
.rows{white-space:pre-wrap;overflow-wrap:anywhere;margin:.6rem 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;max-height:30rem;overflow:auto;background:var(--soft);padding:.5rem;margin:.4rem 0}
details{margin:.3rem 0}summary{cursor:pointer;overflow-wrap:anywhere}
.good{color:var(--good)}.bad{color:var(--bad)}
.changed{border-left:4px solid var(--bad);padding-left:.6rem;margin:.3rem 0}
.note{color:var(--dim);font-style:italic}
img{max-width:100%}
.chart figure{display:inline-block;width:32%;min-width:12rem;margin:0 .5% 0 0}
svg{width:100%;height:60px;background:var(--soft)}rect{fill:var(--accent)}
table{border-collapse:collapse}th,td{padding:.1rem .8rem;text-align:right;border-bottom:1px solid var(--line)}
[hidden]{display:none!important}
`;
const DARK = `:root{--fore:#e6edf3;--back:#11151a;--soft:#1a2027;--line:#333c46;--dim:#9aa7b4;--accent:#7fb4ca;--good:#87c38a;--bad:#f2a1a8}`;
const PRINT = `@media print{body{max-width:none;padding:0}#find,.skip{display:none}pre{max-height:none;background:none;border:1px solid var(--line)}.turn{break-inside:auto}h2,summary{break-after:avoid}}`;
