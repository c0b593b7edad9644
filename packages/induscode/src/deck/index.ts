export { createBoundary } from "./boundary/boundary.ts";
export type { BoundaryDeps, FoundTool } from "./boundary/boundary-deps.ts";
export { filesFeature, searchFeature, shellFeature } from "./builtins/tools.ts";
export type * from "./contract.ts";
export { createDeck, type DeckDeps } from "./deck.ts";
export type { CommandFactsDeps } from "./permissions/command-facts.ts";
export type { Passing } from "./permissions/decision-types.ts";
export { PERMISSION_MODES, type PermissionMode } from "./permissions/modes.ts";
export type { ModeOffers } from "./permissions/offered-mode.ts";
export type { PatternPlaces, Spelling } from "./permissions/path-pattern.ts";
export {
  createPermissions,
  type KeptAnswers,
  type PermissionDecision,
  type PermissionDeps,
  type PermissionPolicy,
  type PermissionRequest,
  type Permissions,
} from "./permissions/permissions.ts";
export type { IsOwnFile } from "./permissions/removed-places.ts";
export type { Leaving } from "./permissions/resolved-access.ts";
export { type PermissionRule, parseRule } from "./permissions/rules.ts";
export type { GitFiles } from "./shell/git-place.ts";
export type { GitVerdicts, Verdict } from "./shell/git-verdicts.ts";
