import type { JobTable } from "indusagi/capabilities";

/** The values behind `/jobs`. */
export function jobWords(jobs: JobTable | undefined): readonly string[] {
  return (jobs?.list() ?? []).flatMap(({ id, exit }) => [
    `output ${id}`,
    ...(exit === undefined ? [`stop ${id}`] : []),
  ]);
}
