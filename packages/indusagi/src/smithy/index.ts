export type {
  AgentBlueprint,
  AgentSpec,
  BlueprintError,
  BlueprintResult,
  ToolCollection,
} from "./contract.ts";
export { AGENT_PROFILES, blueprintJson, defineAgent } from "./define-agent.ts";
