import type { ChangePasswordRequest } from "@shared/contract/account.ts";
import { commit } from "@shared/outbox/commit.ts";
import { wrongPassword } from "../errors.ts";
import type { ServerDeps } from "../server-deps.ts";
import type { AuthenticatedSession } from "../sessions.ts";
import { endOtherSessions } from "./end-other-sessions.ts";

/**
 * Changes a user's password, and ends all his sessions but the one that asked.
 * @throws AppError wrong-password
 */
export async function changePassword(
  deps: Pick<ServerDeps, "database" | "identity" | "now">,
  { user, sessionId }: Pick<AuthenticatedSession, "user" | "sessionId">,
  request: ChangePasswordRequest,
): Promise<void> {
  const { identityId, email } = user;
  const { current_password: currentPassword, new_password: newPassword } = request;
  const attempt = { identityId, email, currentPassword, newPassword };
  const prepared = await deps.identity.prepareChange(attempt);
  if (!prepared) throw wrongPassword();
  const options = { lockKeys: `identity:${identityId}`, now: deps.now };
  await commit(deps.database, options, async (uow) => {
    await prepared.store(uow.session);
    await endOtherSessions(deps, uow, { identityId, keepSessionId: sessionId });
  });
}
