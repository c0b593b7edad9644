// What the product's own session assembles itself, in one module that is loaded only if there are addons at all.

export { assembleAddons } from "./host.ts";
export { createTieredLoader } from "./kinds/tiered-loader.ts";
export { namesOf } from "./source/addon-names.ts";
export { decideTrust } from "./source/decide-trust.ts";
export { discoverSources } from "./source/discover.ts";
export { createTrust } from "./source/trust.ts";
