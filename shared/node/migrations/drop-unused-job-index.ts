import type { Migration } from "./migration.ts";

const JOBS = "agendaJobs";
const UNUSED = "findAndLockNextJobIndex";

/** Jobs were claimed in the order of their time; now their priority counts, by an index of its own. */
export const dropUnusedJobIndex: Migration = {
  id: "2026-11-21-drop-unused-job-index",
  async up(db) {
    const [jobs] = await db.listCollections({ name: JOBS }).toArray();
    if (!jobs) return;
    const indexes = await db.collection(JOBS).indexes();
    if (indexes.some(({ name }) => name === UNUSED)) await db.collection(JOBS).dropIndex(UNUSED);
  },
};
