/** The file extensions of TypeScript. */
export const TYPESCRIPT: readonly string[] = [".ts", ".tsx", ".mts", ".cts"];
