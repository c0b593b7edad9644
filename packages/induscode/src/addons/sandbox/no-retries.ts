// Package managers try again for a minute what no network can answer: each has a variable that its manual names. What Go, Maven, Gradle,
// gem and Deno cannot resolve they do not try again.

/** For a command without a network. */
export const NO_RETRIES: Readonly<Record<string, string>> = {
  npm_config_fetch_retries: "0", // and pnpm before 11
  pnpm_config_fetch_retries: "0",
  YARN_HTTP_RETRY: "0",
  PIP_RETRIES: "0",
  UV_HTTP_RETRIES: "0",
  CONDA_REMOTE_MAX_RETRIES: "0",
  CARGO_NET_RETRY: "0",
  BUNDLE_RETRY: "0",
  COMPOSER_DISABLE_NETWORK: "1", // it has none for retries; what lies in its cache it still uses
  NUGET_ENHANCED_MAX_NETWORK_TRY_COUNT: "1",
};
