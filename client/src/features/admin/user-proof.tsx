import type { AdminPaymentProof } from "@shared/contract/account.ts";
import { TriangleAlert } from "lucide-react";
import { queryClient } from "../../lib/query-client.ts";
import { LocalTime } from "../../ui/local-time.tsx";
import { PictureDialog } from "../../ui/picture-dialog.tsx";
import { adminKeys } from "./admin-queries.ts";
import { userTexts as texts } from "./texts.ts";

/** Pictures expire together: what one has asked for is good for the others. */
const readAgain = () =>
  void queryClient.invalidateQueries({ queryKey: adminKeys.users }, { cancelRefetch: false });

/** What a user has sent to prove his payment, and whether somebody else has sent the same. */
export function UserProof({ username, proof }: { username: string; proof: AdminPaymentProof }) {
  return (
    <div className="flex items-center gap-4">
      <PictureDialog
        src={proof.url}
        title={texts.proofOf(username)}
        onExpired={readAgain}
        className="size-20"
      />
      <div className="min-w-0 flex-1 text-sm">
        <p className="text-ink-faint">{texts.proofFrom}</p>
        <p className="font-medium break-words">{proof.sender_name}</p>
        <p className="figures text-ink-muted">
          <LocalTime iso={proof.submitted_at} />
        </p>
        {proof.duplicate_of && (
          <p className="mt-1.5 flex items-start gap-1.5 text-wait">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            <span>
              <span className="font-medium">{texts.duplicateTitle}.</span>{" "}
              {texts.duplicate(proof.duplicate_of)}
            </span>
          </p>
        )}
      </div>
    </div>
  );
}
