import { type Db, type Document, MongoServerError } from "mongodb";

const EXISTS = { Role: 51_002, User: 51_003 } as const;

/** Gives a role or a user of the database these fields, whether it exists or not. */
export async function createOrUpdate(
  admin: Db,
  [kind, name]: ["Role" | "User", string],
  fields: Document,
): Promise<void> {
  try {
    await admin.command({ [`create${kind}`]: name, ...fields });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== EXISTS[kind]) throw error;
    await admin.command({ [`update${kind}`]: name, ...fields });
  }
}
