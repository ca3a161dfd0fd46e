import type { Database } from "../database/database.ts";

const views = new WeakMap<Database, Database>();

/**
 * The database with the analyses of the bench in the place of those of users, for the code that records and resolves both
 * alike. They have no signals.
 */
export function shadowDatabase(database: Database): Database {
  const view = views.get(database) ?? { ...database, marketAnalyses: database.shadowAnalyses };
  views.set(database, view);
  return view;
}
