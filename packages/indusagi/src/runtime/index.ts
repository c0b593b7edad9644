export type {
  LoopEnd,
  LoopOptions,
  LoopPort,
  PreparedCall,
  ToolBox,
  ToolCall,
  ToolDescriptor,
  ToolOutcome,
  ToolRunner,
  ToolState,
} from "./contract.ts";
export { DEFAULT_MAX_TURNS, MAX_CONCURRENT_CALLS, MAX_WAITING_CALLS, runLoop, toolCallsOf } from "./loop.ts";
