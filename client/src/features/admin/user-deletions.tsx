import type { UserCard } from "@shared/contract/account.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { actOnUser, type UserAction } from "./admin-api.ts";
import { reasonOf, runAction } from "./run-action.ts";
import { confirmTexts, failureTexts, actionTexts as texts } from "./texts.ts";

/** What takes something from a user; each asks first. */
export function UserDeletions({ user, isSelf }: { user: UserCard; isSelf: boolean }) {
  const { username } = user;
  const act = (action: UserAction) => () => runAction(actOnUser(action, username));
  return (
    <div className="-mb-1 flex flex-wrap gap-x-1 border-t border-line pt-2 *:first:-ml-3">
      <ConfirmButton
        label={texts.revoke}
        variant="ghost"
        disabled={!user.approved || isSelf}
        title={confirmTexts.revokeTitle(username)}
        run={act("revoke")}
        failureText={() => failureTexts.revoke(username)}
      >
        {confirmTexts.revoke(username)}
      </ConfirmButton>
      <ConfirmButton
        label={texts.clearHistory}
        variant="ghost"
        title={confirmTexts.clearHistoryTitle(username)}
        run={act("delete-signal-history")}
        failureText={() => failureTexts.clearHistory(username)}
      >
        {confirmTexts.clearHistory(username)}
      </ConfirmButton>
      {user.payment_proof && (
        <ConfirmButton
          label={texts.deleteProof}
          variant="ghost"
          title={confirmTexts.deleteProofTitle(username)}
          run={act("delete-proof")}
          failureText={() => failureTexts.deleteProof(username)}
        >
          {confirmTexts.deleteProof(username)}
        </ConfirmButton>
      )}
      <ConfirmButton
        label={texts.deleteUser}
        variant="ghostDanger"
        disabled={isSelf}
        title={confirmTexts.deleteUserTitle(username)}
        run={act("delete-user")}
        failureText={(error) => failureTexts.deleteUser(username, reasonOf(error))}
      >
        {confirmTexts.deleteUser(username)}
      </ConfirmButton>
      {isSelf && <p className="basis-full pt-1 text-xs text-ink-faint">{texts.ownAccount}</p>}
    </div>
  );
}
