// The names of providers that are the product's or the person's: no addon gets one.

import { BUILT_IN_PROVIDERS, LOCAL_PROVIDER } from "indusagi/llmgateway";
import type { Settings } from "./settings.ts";

export function ownProviderNames({ providers = [] }: Settings): readonly string[] {
  return [...BUILT_IN_PROVIDERS.map(({ id }) => id), ...providers.map(({ id }) => id), LOCAL_PROVIDER];
}
