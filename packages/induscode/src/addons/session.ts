// What the product's own session puts together itself, in one piece to load where there are addons at all.

export { namesOf } from "./addon-names.ts";
export { decideTrust } from "./decide-trust.ts";
export { discoverSources } from "./discover.ts";
export { assembleAddons } from "./host.ts";
export { createTieredLoader } from "./loaders/tiered-loader.ts";
export { createTrust } from "./trust.ts";
