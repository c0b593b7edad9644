export {
  type Activity,
  type Board,
  type BoardEntry,
  BoardError,
  type BoardFaultKind,
  type Claim,
  type ClaimKey,
  type ClaimOptions,
  type Envelope,
  type EnvelopeBody,
  type Ticket,
  type TicketComment,
  type TicketDraft,
  type TicketFilter,
  type TicketPriority,
  type TicketStatus,
  type WaitOptions,
  type WorkUse,
} from "./contract.ts";
export {
  COORDINATOR,
  type Crew,
  type CrewFacts,
  createCrew,
  DEFAULT_MAX_ROUNDS,
  type DelegationReport,
  type MemberDraft,
  type MemberWork,
  type RoundReport,
  type RunOptions,
  type UnableMember,
  type WorkResult,
} from "./crew.ts";
export { BOARD_FILE, createFileBoard, type FileBoardDeps } from "./file-board.ts";
export { checkFirstPost } from "./new-tickets.ts";
export type { PostgresPlace } from "./postgres/place.ts";
export { openPostgresBoard } from "./postgres/postgres-board.ts";
