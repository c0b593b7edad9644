// The providers that need no configuration except a key, as rows over a wire. Addresses and key names are from their own
// documentation.

import { ANTHROPIC_BASE_URL, OPENAI_BASE_URL } from "./addresses.ts";
import type { WireName } from "./wires/table.ts";

/** A provider as data. It decides where keys are sent, so it may only come from the person's own settings, never from a repository. */
export interface ProviderConfig {
  readonly id: string;
  /** Which wires its models use, if `wire` does not say: an OpenAI-compatible server has two, and each model wants one of them. */
  readonly kind?: "anthropic" | "openai-compatible";
  /** The wire of all its models. */
  readonly wire?: WireName;
  /** `{NAME}` in it stands for an environment variable: the person's region, or the name of one of their resources. */
  readonly baseUrl?: string;
  /** An environment variable that overrides `baseUrl`. */
  readonly baseUrlEnv?: string;
  /** The key, or the words of a command that prints it. */
  readonly apiKey?: string | { readonly command: readonly string[] };
  /** The environment variable that holds the key; a provider that names one is not asked without it. */
  readonly apiKeyEnv?: string;
  /** What to check if the key is refused or cannot be fetched; default: the variable, or `apiKey`. */
  readonly keyName?: string;
  /** True: a login in the person's browser issues a key, by PKCE at `/auth` of its server. */
  readonly browserLogin?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests are signed with the person's AWS credentials if there is no key. Without a region, the environment's is used. */
  readonly aws?: { readonly service: string; readonly region?: string };
  /** True: requests carry a Google Cloud token of the person's. A fetched key is such a token. */
  readonly google?: boolean;
}

/** The providers that need no configuration except a key. */
export const BUILT_IN_PROVIDERS: readonly ProviderConfig[] = [
  {
    id: "anthropic",
    kind: "anthropic",
    baseUrl: ANTHROPIC_BASE_URL,
    baseUrlEnv: "ANTHROPIC_BASE_URL",
    apiKeyEnv: "ANTHROPIC_API_KEY",
  },
  {
    id: "openai",
    kind: "openai-compatible",
    baseUrl: OPENAI_BASE_URL,
    baseUrlEnv: "OPENAI_BASE_URL",
    apiKeyEnv: "OPENAI_API_KEY",
  },
  row("google", "gemini", "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY"),
  {
    ...row("openrouter", "chat", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    browserLogin: true,
  },
  row("xai", "chat", "https://api.x.ai/v1", "XAI_API_KEY"),
  row("groq", "chat", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
  row("cerebras", "chat", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
  row("mistral", "chat", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
  row("deepseek", "chat", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
  row("moonshot", "chat", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
  row("zai", "chat", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY"),
  row("together", "chat", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
  row("fireworks", "chat", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
  {
    id: "azure",
    kind: "openai-compatible",
    baseUrl: "https://{AZURE_OPENAI_RESOURCE}.openai.azure.com/openai/v1",
    baseUrlEnv: "AZURE_OPENAI_BASE_URL",
    apiKeyEnv: "AZURE_OPENAI_API_KEY",
  },
  {
    id: "bedrock",
    kind: "openai-compatible",
    baseUrl: "https://bedrock-mantle.{AWS_REGION}.api.aws/v1",
    apiKeyEnv: "AWS_BEARER_TOKEN_BEDROCK",
    aws: { service: "bedrock-mantle" },
  },
  {
    ...row(
      "bedrock-anthropic",
      "messages",
      "https://bedrock-mantle.{AWS_REGION}.api.aws/anthropic/v1",
      "AWS_BEARER_TOKEN_BEDROCK",
    ),
    aws: { service: "bedrock-mantle" },
  },
  { ...vertexRow("vertex", "gemini", "google"), baseUrlEnv: "GOOGLE_VERTEX_BASE_URL" },
  { ...vertexRow("vertex-anthropic", "messages", "anthropic"), baseUrlEnv: "ANTHROPIC_VERTEX_BASE_URL" },
  {
    ...row("qwen", "chat", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"),
    baseUrlEnv: "DASHSCOPE_BASE_URL",
  },
  row("minimax", "messages", "https://api.minimax.io/anthropic", "MINIMAX_API_KEY"),
  row("kimi", "messages", "https://api.kimi.com/coding", "KIMI_API_KEY"),
  row("nvidia", "chat", "https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY"),
  row("huggingface", "chat", "https://router.huggingface.co/v1", "HF_TOKEN"),
  row("vercel", "messages", "https://ai-gateway.vercel.sh", "AI_GATEWAY_API_KEY"),
];

function row(id: string, wire: WireName, baseUrl: string, apiKeyEnv: string): ProviderConfig {
  return { id, wire, baseUrl, apiKeyEnv };
}

function vertexRow(id: string, wire: WireName, publisher: string): ProviderConfig {
  const place = "projects/{GOOGLE_CLOUD_PROJECT}/locations/{GOOGLE_CLOUD_LOCATION}";
  const baseUrl = `https://{GOOGLE_CLOUD_LOCATION}-aiplatform.googleapis.com/v1/${place}/publishers/${publisher}`;
  return { id, wire, baseUrl, google: true };
}
