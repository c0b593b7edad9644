// Which model a person means: by its full name, its own half, a part of it, or an alias of theirs.

import { listModels, mayBeListed, parseModelName } from "./models.ts";

/** What a person's words are matched against. */
export interface NameFacts {
  /** By id, whether each has what it needs to be asked, and whether the person moved its address. */
  readonly providers: readonly {
    readonly id: string;
    readonly ready: boolean;
    readonly isMoved?: boolean | undefined;
  }[];
  /** Models that the person described, `provider/model`. */
  readonly own?: readonly string[];
  /** The person's aliases for models. */
  readonly aliases?: Readonly<Record<string, string>>;
}

export type NameMatch =
  | { readonly kind: "one"; readonly name: string }
  /** At least two, sorted; the person must choose. */
  | { readonly kind: "several"; readonly names: readonly string[] }
  | { readonly kind: "none" };

/**
 * The model that `text` names: an exact name or id first, then part of a name at the provider it begins with, then an alias, then
 * part of any name. Models whose provider has a key come first. `provider/model` stands for itself if nothing is known about it:
 * providers have models that are on no list yet.
 */
export function matchModel(text: string, facts: NameFacts): NameMatch {
  const parsed = parseModelName(text);
  const scope = facts.providers.find(({ id }) => id === parsed?.provider);
  // A name with a version is complete, not a part; and models at an address of the person's own are on no list.
  if (parsed && scope && (scope.isMoved || /\d/.test(parsed.model) || !isPart(parsed.model, facts)))
    return { kind: "one", name: text };
  const known = [
    ...new Set([...(facts.own ?? []), ...listModels().map(({ provider, id }) => `${provider}/${id}`)]),
  ];
  if (known.includes(text)) return { kind: "one", name: text };
  const wanted = text.toLowerCase();
  const exact = known.filter((name) => {
    const lower = name.toLowerCase();
    return lower === wanted || lower.slice(lower.indexOf("/") + 1) === wanted;
  });
  if (exact.length > 0) return chosen(exact, facts);
  if (parsed && scope) {
    const prefix = `${parsed.provider}/`;
    const part = parsed.model.toLowerCase();
    const within = known.filter(
      (name) => name.startsWith(prefix) && name.slice(prefix.length).toLowerCase().includes(part),
    );
    return within.length > 0 ? chosen(within, facts) : { kind: "one", name: text };
  }
  const { aliases = {} } = facts;
  const alias = Object.hasOwn(aliases, text) ? aliases[text] : undefined;
  if (alias !== undefined) return matchModel(alias, { ...facts, aliases: {} });
  return chosen(
    known.filter((name) => name.toLowerCase().includes(wanted)),
    facts,
  );
}

function isPart(text: string, { own = [] }: NameFacts): boolean {
  const part = text.toLowerCase();
  return mayBeListed(part) || own.some((name) => name.toLowerCase().includes(part));
}

function chosen(names: readonly string[], { providers }: NameFacts): NameMatch {
  const ready = new Set(providers.filter(({ ready }) => ready).map(({ id }) => id));
  const usable = names.filter((name) => ready.has(name.slice(0, name.indexOf("/"))));
  const [first, ...more] = (usable.length > 0 ? usable : names).toSorted();
  if (first === undefined) return { kind: "none" };
  return more.length === 0 ? { kind: "one", name: first } : { kind: "several", names: [first, ...more] };
}
