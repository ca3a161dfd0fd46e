import { dropIndex } from "./drop-index.ts";
import type { Migration } from "./migration.ts";

/** A user's unfinished signals were counted by an index at each request; now the head of his stream says how many. */
export const dropUnusedSignalIndex: Migration = {
  id: "2026-11-22-drop-unused-signal-index",
  up: (db) => dropIndex(db, { collection: "signals", index: "unfinished_of_user" }),
};
