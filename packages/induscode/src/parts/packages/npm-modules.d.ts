// The parts of npm's own libraries that are used here; they bring no types.

declare module "@npmcli/arborist" {
  /** A package in the tree. */
  export interface TreeNode {
    readonly name: string;
    readonly resolved?: string | null;
    integrity?: string | null;
    readonly isProjectRoot: boolean;
    readonly isLink: boolean;
    /** It is in the archive of the one that needs it. */
    readonly inBundle: boolean;
    /** It is not installed on this machine. */
    readonly inert: boolean;
  }
  export default class Arborist {
    constructor(options: Readonly<Record<string, unknown>>);
    buildIdealTree(options?: Readonly<Record<string, unknown>>): Promise<unknown>;
    readonly idealTree: {
      readonly inventory: { values(): Iterable<TreeNode> };
    };
    reify(options?: Readonly<Record<string, unknown>>): Promise<unknown>;
  }
}

declare module "pacote" {
  export interface Manifest {
    readonly name: string;
    readonly version: string;
    readonly bin?: Readonly<Record<string, string>> | string;
    readonly _resolved?: string;
    readonly _integrity?: string;
    readonly _attestations?: { readonly url: string };
  }
  const pacote: {
    manifest(spec: string, options?: Readonly<Record<string, unknown>>): Promise<Manifest>;
    readonly tarball: {
      stream<Result>(
        spec: string,
        take: (archive: NodeJS.ReadableStream) => Promise<Result>,
        options?: Readonly<Record<string, unknown>>,
      ): Promise<Result>;
    };
  };
  export default pacote;
}

declare module "@npmcli/config" {
  export default class Config {
    constructor(options: Readonly<Record<string, unknown>>);
    load(): Promise<void>;
    readonly flat: Readonly<Record<string, unknown>>;
  }
}

declare module "@npmcli/config/lib/definitions/index.js" {
  const definitions: {
    readonly definitions: unknown;
    readonly shorthands: unknown;
    readonly flatten: unknown;
    readonly nerfDarts: unknown;
  };
  export default definitions;
}

declare module "@npmcli/git" {
  /** Resolves to the commit. */
  export function clone(
    repository: string,
    ref: string | undefined,
    target: string,
    options: Readonly<Record<string, unknown>>,
  ): Promise<string>;
}

declare module "npm-package-arg" {
  interface PackageArgument {
    readonly type: string;
    readonly registry?: boolean;
    readonly fetchSpec?: string | null;
    readonly gitCommittish?: string | null;
    readonly gitSubdir?: string;
    readonly hosted?: { https(options: Readonly<Record<string, boolean>>): string };
  }
  export default function npa(spec: string, where: string): PackageArgument;
}

declare module "npm-registry-fetch" {
  export default function npmFetch(
    url: string,
    options: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly body: AsyncIterable<Buffer> }>;
  export function pickRegistry(spec: object, options: Readonly<Record<string, unknown>>): string;
  export function json(url: string, options: Readonly<Record<string, unknown>>): Promise<unknown>;
}
