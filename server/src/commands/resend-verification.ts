import { commitChange } from "@shared/node/event-log.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { ADMINS_STREAM } from "@shared/node/streams.ts";
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
    const options = { serializeOn: ADMINS_STREAM, now: deps.now };
    await commitChange(deps.database, options, (change) =>
      confirmEmail(deps, change, user.identityId),
    );
  }
  return result;
}
