import type { UserRecord } from "@shared/node/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import type { ServerDeps } from "../server-deps.ts";
import { confirmEmail } from "./confirm-email.ts";

/**
 * Asks a user once more to confirm his address. Where he has done so at the identity provider, that is noted instead.
 * @returns whether a mail was sent
 * @throws AppError unavailable if the mail is not accepted
 */
export async function resendVerification(
  deps: Pick<ServerDeps, "database" | "identity" | "now">,
  user: UserRecord,
): Promise<"sent" | "confirmed"> {
  if (user.emailVerified) return "confirmed";
  const result = await deps.identity.sendVerification(user);
  if (result === "confirmed") {
    const options = { lockKeys: ADMINS_STREAM, now: deps.now };
    await commit(deps.database, options, (uow) => confirmEmail(deps, uow, user.identityId));
  }
  return result;
}
