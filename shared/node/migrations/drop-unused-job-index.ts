import { dropIndex } from "./drop-index.ts";
import type { Migration } from "./migration.ts";

/** Jobs were claimed in the order of their time; now their priority counts, by an index of its own. */
export const dropUnusedJobIndex: Migration = {
  id: "2026-11-21-drop-unused-job-index",
  up: (db) => dropIndex(db, { collection: "agendaJobs", index: "findAndLockNextJobIndex" }),
};
