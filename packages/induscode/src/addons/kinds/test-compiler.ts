// The compiler as a session has it, for tests of what comes after compiling.

import { createSandbox } from "../sandbox/sandbox.ts";
import { createSourceCompiler, type LoadCompiler } from "./source-compiler.ts";

export const TEST_COMPILER: LoadCompiler = createSourceCompiler(createSandbox());
