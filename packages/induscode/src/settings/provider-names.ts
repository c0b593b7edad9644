// Provider names that belong to the product or the person: no addon can take one.

import { BUILT_IN_PROVIDERS, LOCAL_PROVIDER } from "indusagi/llmgateway";
import type { Settings } from "./load-settings.ts";

export function ownProviderNames({ providers = [] }: Settings): readonly string[] {
  return [...BUILT_IN_PROVIDERS.map(({ id }) => id), ...providers.map(({ id }) => id), LOCAL_PROVIDER];
}
