import { shareLocks } from "@shared/outbox/commit.ts";
import type { Database } from "../database/database.ts";

const views = new WeakMap<Database, Database>();

/**
 * The database with the analyses of the bench in the place of those of users, for the code that records and resolves both
 * alike. They have no signals.
 */
export function shadowDatabase(database: Database): Database {
  const known = views.get(database);
  if (known) return known;
  const view = { ...database, marketAnalyses: database.shadowAnalyses };
  // Otherwise, both would conflict on the head of the ledger again and again.
  shareLocks(view, database);
  views.set(database, view);
  return view;
}
