import type { VerifyEmailRequest } from "@shared/contract/account.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
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
  const options = { lockKeys: ADMINS_STREAM, now: deps.now };
  await commit(deps.database, options, async (uow) => {
    await confirmation.store(uow.session);
    if (identityId !== null) await confirmEmail(deps, uow, identityId);
  });
}
