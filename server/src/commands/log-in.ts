import type { LoginRequest } from "@shared/contract/account.ts";
import { AppError } from "@shared/node/app-error.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import type { ServerDeps } from "../server-deps.ts";

/**
 * The user whose name (or e-mail address, in any case) and password these are. An unknown name takes as long
 * as a wrong password, and is answered with the same words.
 * @throws AppError invalid-credentials
 */
export async function logIn(
  deps: Pick<ServerDeps, "database" | "identity">,
  { username, password }: LoginRequest,
): Promise<UserRecord> {
  const user = await findByName(deps, username);
  if (!user) {
    await deps.identity.verifyNothing(password);
    throw invalidCredentials();
  }
  const { identityId, email } = user;
  if (!(await deps.identity.verifyPassword({ identityId, email, password }))) {
    throw invalidCredentials();
  }
  return user;
}

function findByName({ database }: Pick<ServerDeps, "database">, name: string) {
  const key = name.trim().toLowerCase();
  return database.users
    .findOne(key.includes("@") ? { emailKey: key } : { usernameKey: key })
    .lean();
}

function invalidCredentials(): AppError {
  return new AppError("invalid-credentials", "Wrong username or password.");
}
