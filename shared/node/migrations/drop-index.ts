import type { Db } from "mongodb";

/** Drops an index if it is there. */
export async function dropIndex(
  db: Db,
  from: { collection: string; index: string },
): Promise<void> {
  const [known] = await db.listCollections({ name: from.collection }).toArray();
  if (!known) return;
  const collection = db.collection(from.collection);
  const indexes = await collection.indexes();
  if (indexes.some(({ name }) => name === from.index)) await collection.dropIndex(from.index);
}
