import type { Collection, Db, Document } from "mongodb";
import type { Connection, Model } from "mongoose";

/** The driver's own view of a connection's database. */
export const nativeDb = (connection: Connection): Db => connection.getClient().db(connection.name);

/**
 * The driver's own collection of a model, for what is asked most often: typed alike, but without the casts and checks
 * that mongoose makes for each command.
 */
export const nativeCollection = <Stored extends Document>({
  db,
  collection,
}: Model<Stored>): Collection<Stored> => nativeDb(db).collection<Stored>(collection.collectionName);
