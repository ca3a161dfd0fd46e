import { usernameSchema } from "@shared/contract/account.ts";
import type { Database } from "@shared/node/database.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { noSuchUser } from "../errors.ts";

/**
 * The user of this name, in whatever case it is written.
 * @throws AppError not-found, also where `username` could be nobody's name
 */
export async function findUserByName(
  database: Pick<Database, "users">,
  username: unknown,
): Promise<UserRecord> {
  const name = usernameSchema.safeParse(username);
  const user = name.success
    ? await database.users.findOne({ usernameKey: name.data.toLowerCase() }).lean()
    : null;
  if (!user) throw noSuchUser();
  return user;
}
