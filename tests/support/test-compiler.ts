// The compiler as used by a session, for tests of the steps after compiling.

import {
  createSourceCompiler,
  type LoadCompiler,
} from "../../packages/induscode/src/addons/kinds/source-compiler.ts";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";

export const TEST_COMPILER: LoadCompiler = createSourceCompiler(createSandbox());
