import { isTime } from "indusagi/core";

const MINUTE_MS = 60_000;

/** `5 min ago`; empty if the time is unknown. */
export function ageOf(at: number, now: number): string {
  if (at === 0 || !isTime(at)) return "";
  const minutes = Math.max(0, Math.floor((now - at) / MINUTE_MS));
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60
    ? `${Math.floor(minutes / 60)} h ago`
    : `${Math.floor(minutes / 60 / 24)} days ago`;
}
