import type { Collection, Db, Document } from "mongodb";
import type { Connection, Model } from "mongoose";

const databases = new WeakMap<Connection, Db>();

/** The driver's own view of a connection's database. */
export function nativeDb(connection: Connection): Db {
  const db = databases.get(connection) ?? connection.getClient().db(connection.name);
  databases.set(connection, db);
  return db;
}

/**
 * The driver's own collection of a model, for what is asked most often: typed alike, but without the casts and checks
 * that mongoose makes for each command.
 */
export const nativeCollection = <Stored extends Document>({
  db,
  collection,
}: Model<Stored>): Collection<Stored> => nativeDb(db).collection<Stored>(collection.collectionName);
