import type { ResetPasswordRequest } from "@shared/contract/account.ts";
import { commit } from "@shared/outbox/commit.ts";
import type { ServerDeps } from "../server-deps.ts";
import { endOtherSessions } from "./end-other-sessions.ts";

/**
 * Sets a new password by the token of a reset mail, and ends all sessions of the user.
 * @throws AppError invalid-token
 */
export async function resetPassword(
  deps: Pick<ServerDeps, "database" | "identity" | "now">,
  { token, new_password: newPassword }: ResetPasswordRequest,
): Promise<void> {
  const reset = await deps.identity.prepareReset({ token, newPassword });
  const { identityId } = reset;
  const options = { lockKeys: `identity:${identityId}`, now: deps.now };
  await commit(deps.database, options, async (uow) => {
    await reset.store(uow.session);
    if (identityId !== null) await endOtherSessions(deps, uow, { identityId });
  });
}
