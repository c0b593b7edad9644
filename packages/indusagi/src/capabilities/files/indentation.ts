// How the indentation of a quoted snippet corresponds to that of the file it was quoted from: models often quote tabs as spaces,
// two spaces as four, or a block without its outer indentation.

/** The leading blanks of one line: as quoted, and as they are in the file. */
export interface LeadPair {
  readonly quoted: string;
  readonly own: string;
}

/** The file's leading blanks for quoted ones; undefined if it is not clear which they are. */
export type OwnLead = (quoted: string) => string | undefined;

/**
 * Derives the correspondence from the lines that were quoted. Every rule that explains all of them must give the same result,
 * otherwise there is none. `opening` is the indentation of a first line that was quoted without any: either the quote begins
 * after it, or all of the quote lacks it.
 */
export function ownIndentation(pairs: readonly LeadPair[], opening?: string): OwnLead {
  const rules = rulesFor(pairs);
  if (opening !== undefined) rules.push(...rulesFor([{ quoted: "", own: opening }, ...pairs]));
  if (rules.length === 0) rules.push(asShown(pairs));
  return (quoted) => {
    const [only, ...others] = new Set(rules.map((rule) => rule(quoted)));
    return others.length === 0 ? only : undefined;
  };
}

/** The likeliest rules that explain all pairs. */
function rulesFor(pairs: readonly LeadPair[]): OwnLead[] {
  const explaining = (rules: readonly OwnLead[]): OwnLead[] =>
    rules.filter((rule) => pairs.every(({ quoted, own }) => rule(quoted) === own));
  const [first] = pairs;
  if (first === undefined || explaining([asQuoted]).length > 0) return [asQuoted];
  const likely = explaining([
    ...UNIT_RULES,
    deeper(ofOneKind, first),
    shallower(ofOneKind, first),
    // Two tabs may be four blanks because two blanks are a tab, or because the outer indentation is missing.
    deeper(byUnits("    ", "\t"), first),
  ]);
  if (likely.length > 0) return likely;
  return explaining(UNIT_RULES.flatMap((rule) => [deeper(rule, first), shallower(rule, first)]));
}

const asQuoted: OwnLead = (quoted) => quoted;

const ofOneKind: OwnLead = (quoted) => (/^(?:\t*| *)$/.test(quoted) ? quoted : undefined);

const UNITS: readonly string[] = ["\t", ...[2, 3, 4, 8].map((width) => " ".repeat(width))];

const UNIT_RULES: readonly OwnLead[] = UNITS.flatMap((from) =>
  UNITS.filter((to) => to !== from).map((to) => byUnits(from, to)),
);

/** Each unit `from` becomes one `to`; spaces that fill no unit align text and stay. */
function byUnits(from: string, to: string): OwnLead {
  return (quoted) => {
    let end = 0;
    while (quoted.startsWith(from, end)) end += from.length;
    const rest = quoted.slice(end);
    return /^ {0,7}$/.test(rest) ? to.repeat(end / from.length) + rest : undefined;
  };
}

/** `rule`, and then as much more at the left as in `pair`. */
function deeper(rule: OwnLead, { quoted, own }: LeadPair): OwnLead {
  const inner = rule(quoted) ?? "";
  const more = own.endsWith(inner) ? own.slice(0, own.length - inner.length) : "";
  return (other) => {
    const lead = rule(other);
    return lead === undefined ? undefined : regular(more + lead, rule);
  };
}

/** `rule`, and then as much less at the left as in `pair`. */
function shallower(rule: OwnLead, { quoted, own }: LeadPair): OwnLead {
  const outer = rule(quoted) ?? "";
  const less = outer.endsWith(own) ? outer.slice(0, outer.length - own.length) : "";
  return (other) => {
    const lead = rule(other);
    return lead?.startsWith(less) ? regular(lead.slice(less.length), rule) : undefined;
  };
}

/** No blank is before a tab; without a rule for units, there is one kind of blank only. */
function regular(lead: string, rule: OwnLead): string | undefined {
  if (rule === ofOneKind) return ofOneKind(lead);
  return /^\t* *$/.test(lead) ? lead : undefined;
}

/** Only what the lines themselves show: their indentation follows no rule. */
function asShown(pairs: readonly LeadPair[]): OwnLead {
  return (asked) => {
    const [only, ...others] = new Set(pairs.filter(({ quoted }) => quoted === asked).map(({ own }) => own));
    return others.length === 0 ? only : undefined;
  };
}
