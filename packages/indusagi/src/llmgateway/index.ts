export type { AwsCredentials } from "./aws/sign.ts";
export type { AwsSigning, FoundAwsCredentials } from "./aws/signer.ts";
export {
  CassetteError,
  cassetteHeader,
  parseCassette,
  type TapedDelta,
  type TapedTurn,
} from "./cassette-format.ts";
export {
  type CassettePlayerOptions,
  createCassettePlayer,
  createExchangePlayer,
  type ExchangePlayer,
} from "./cassette-player.ts";
export {
  type CassetteRecorderOptions,
  createCassetteRecorder,
  createExchangeRecorder,
} from "./cassette-recorder.ts";
export { CATALOGUE_DATE } from "./catalogue-data.ts";
export {
  type ClientCertificate,
  type ClientIdentity,
  clientCertificateIn,
  type ReadIdentity,
  readClientCertificate,
} from "./client-certificate.ts";
export type * from "./contract.ts";
export {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type Resolution,
} from "./gateway.ts";
export type { FoundGoogleCredentials, GoogleSigning } from "./google/signer.ts";
export type { GoogleCredentials } from "./google/token.ts";
export type { HttpEnd, HttpLimits, HttpPost, Transport } from "./http-stream.ts";
export { createLessonBook, type LessonBook } from "./lessons.ts";
export {
  type AskedServer,
  findLocalServer,
  LOCAL_SERVERS,
  type LocalSearch,
  type LocalServer,
  listLocalServers,
  lookForLocalServer,
  windowsOfLocalServer,
} from "./local-server.ts";
export { matchModel, type NameFacts, type NameMatch } from "./model-names.ts";
export {
  type CatalogueEntry,
  cardFor,
  DEFAULT_MODELS,
  isKnownModel,
  LOCAL_PROVIDER,
  listModels,
  MODEL_CARDS,
  type ModelLimits,
  parseModelName,
  plainName,
  retirementOf,
  UNKNOWN_MODEL,
} from "./models.ts";
export type { BrowserLogin, BrowserLoginOptions, LoginAnswer } from "./oauth/browser-login.ts";
export { startBrowserLogin } from "./oauth/start-login.ts";
export type { Pricing } from "./prices.ts";
export type { Printed, RunCommand } from "./printed-key.ts";
export { BUILT_IN_PROVIDERS, type ProviderConfig } from "./providers.ts";
export { type Environment, proxyNameFor, proxyNames, proxyProblem } from "./proxy.ts";
export { isPassing, type RetryOptions, withRetry } from "./retry.ts";
export type { Pieces } from "./wire-json.ts";
export type { WireName } from "./wires/table.ts";
