import type { ClientSession } from "mongoose";
import type { Database } from "./database.ts";
import { nativeDb } from "./native-collection.ts";
import type { Insert } from "./told-change.ts";

/** Adds documents with one command for each collection. */
export async function insertTogether(
  { connection }: Database,
  session: ClientSession,
  inserts: readonly Insert[],
): Promise<void> {
  const options = { session, ignoreUndefined: true };
  for (const name of new Set(inserts.map(({ into }) => into))) {
    const collection = nativeDb(connection).collection(name);
    const documents = inserts.flatMap(({ into, document }) => (into === name ? [document] : []));
    const [first, ...others] = documents;
    // One alone goes without what the driver does to split a crowd into commands.
    if (others.length > 0) await collection.insertMany(documents, options);
    else if (first) await collection.insertOne(first, options);
  }
}
