// The secrets of a package that is on its way: each gets a name at once, and lies nowhere until the person has agreed to the package.

import type { KeepSecret } from "../../addons/author/imported-secrets.ts";
import { type NamedSecrets, readNamedSecrets } from "../../store/named-secrets.ts";

export interface SecretShelf {
  readonly keep: KeepSecret;
  /** What was kept, by name. */
  readonly values: ReadonlyMap<string, string>;
}

interface ShelfFacts {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The package that is updated; what came with it alone gives way. */
  readonly owner: string | undefined;
}

/** A name is another's if a variable of the person's, or a package, has another value under it. */
export function createSecretShelf({ home, env, owner }: ShelfFacts): SecretShelf {
  const values = new Map<string, string>();
  let stored: NamedSecrets | undefined;
  const isFree = (name: string, value: string): boolean => {
    stored ??= readNamedSecrets(home);
    const { [name]: kept } = stored;
    const isOwn = kept === undefined || kept.of.every((each) => each === owner);
    const others = [values.get(name), env[name] || undefined, isOwn ? undefined : kept.value];
    return others.every((other) => other === undefined || other === value);
  };
  return {
    values,
    keep(wanted, value) {
      let name = wanted;
      for (let count = 2; !isFree(name, value); count++) name = `${wanted}_${count}`;
      values.set(name, value);
      return name;
    },
  };
}
