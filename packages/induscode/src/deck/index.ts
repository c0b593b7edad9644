export { createBoundary } from "./boundary.ts";
export { filesFeature, searchFeature, shellFeature } from "./builtins/tools.ts";
export type { Boundary, BoundaryOutcome, Deck } from "./contract.ts";
export { createDeck } from "./deck.ts";
export {
  createPermissions,
  PERMISSION_MODES,
  type PermissionDecision,
  type PermissionMode,
  type PermissionPolicy,
  type Permissions,
} from "./permissions/permissions.ts";
export { type PermissionRule, parseRule } from "./permissions/rules.ts";
