// The parts of the AssemblyScript compiler that this project uses. Its own declarations bring globals (`console`, integer types)
// that would apply to every file here; tsconfig.json maps the package to these.

export interface CompilerHost {
  readonly readFile: (path: string) => string | null;
  readonly writeFile: (path: string, content: string | Uint8Array) => void;
  readonly listFiles: () => readonly string[];
}

export interface Compiled {
  readonly error: Error | null;
  readonly stdout: { readonly toString: () => string };
  readonly stderr: { readonly toString: () => string };
}

export function main(argv: readonly string[], host: CompilerHost): Promise<Compiled>;

declare const compiler: { readonly main: typeof main };
export default compiler;
