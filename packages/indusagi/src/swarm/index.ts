export { BOARD_FILE, type FileBoardDeps } from "./board-file.ts";
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
  type Crew,
  type CrewFacts,
  createCrew,
  DEFAULT_MAX_ROUNDS,
  type DelegationReport,
  type RoundReport,
  type RunOptions,
  type UnableMember,
} from "./crew.ts";
export { createFileBoard } from "./file-board.ts";
export { checkFirstPost } from "./new-tickets.ts";
export type { PostgresPlace } from "./postgres/place.ts";
export { openPostgresBoard } from "./postgres/postgres-board.ts";
export { COORDINATOR, type MemberDraft, type MemberWork, type WorkResult } from "./ticket-work.ts";
