export {
  CassetteError,
  parseCassette,
  type TapedDelta,
  type TapedTurn,
} from "./cassette-format.ts";
export { type CassettePlayerOptions, createCassettePlayer } from "./cassette-player.ts";
export { type CassetteRecorderOptions, createCassetteRecorder } from "./cassette-recorder.ts";
export type * from "./contract.ts";
export {
  BUILT_IN_PROVIDERS,
  createGateway,
  type Gateway,
  type GatewayOptions,
  type ProviderConfig,
  type Resolution,
} from "./gateway.ts";
export {
  type AskedServer,
  findLocalServer,
  LOCAL_BASE_URLS,
  LOCAL_SERVERS,
  type LocalSearch,
  type LocalServer,
  lookForLocalServer,
} from "./local-server.ts";
export { cardFor, MODEL_CARDS, parseModelName, UNKNOWN_MODEL } from "./models.ts";
export { type RetryOptions, withRetry } from "./retry.ts";
