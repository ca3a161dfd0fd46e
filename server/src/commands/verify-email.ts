import type { VerifyEmailRequest } from "@shared/contract/account.ts";
import { commitChange } from "@shared/node/event-log.ts";
import { ADMINS_STREAM } from "@shared/node/streams.ts";
import type { ServerDeps } from "../server-deps.ts";
import { confirmEmail } from "./confirm-email.ts";

/**
 * Confirms an address by the token that was mailed to it.
 * @throws AppError invalid-token
 */
export async function verifyEmail(
  deps: Pick<ServerDeps, "database" | "identity" | "now">,
  { token }: VerifyEmailRequest,
): Promise<void> {
  const confirmation = await deps.identity.prepareConfirmation(token);
  const { identityId } = confirmation;
  const options = { serializeOn: ADMINS_STREAM, now: deps.now };
  await commitChange(deps.database, options, async (change) => {
    await confirmation.store(change.session);
    if (identityId !== null) await confirmEmail(deps, change, identityId);
  });
}
