import type { PAYMENT_PROBLEMS, Verification } from "@shared/contract/account.ts";
import { ConfirmButton } from "../../../ui/confirm-button.tsx";
import { reasonOf, runAction, undoAccess } from "../api.ts";

const PROBLEM_TEXTS: Record<(typeof PAYMENT_PROBLEMS)[number], string> = {
  "not-found": "the transaction is not on its blockchain",
  unreachable: "the service that looks up transactions does not respond",
  failed: "the transaction failed",
  "wrong-token": "it is no payment in USDT",
  "wrong-recipient": "it was not paid to your address",
  "too-little": "it is less than the fee of the plan",
  used: "another proof names the same transaction",
  undone: "the automatic approval was undone",
};

/** What was done, or not done, without an administrator. */
export function VerificationNote({
  username,
  state,
  ...seen
}: Verification & { username: string }) {
  const { confirmations, needed, problem } = seen;
  if (state === "approved") {
    return (
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="font-medium">Accepted automatically: the payment is confirmed</p>
        <ConfirmButton
          label="Undo"
          variant="secondary"
          title={`Undo the automatic approval of ${username}?`}
          run={() => runAction(undoAccess(username))}
          failureText={reasonOf}
        >
          Access, subscription and credits are as before, and the proof waits for you.
        </ConfirmButton>
      </div>
    );
  }
  const why = problem && PROBLEM_TEXTS[problem];
  return (
    <p className="text-wait">
      {state === "manual"
        ? `Not accepted automatically: ${why}`
        : `Being checked: ${confirmations} of ${needed} confirmations${why ? `, ${why}` : ""}`}
    </p>
  );
}
