import type { AdminPaymentProof, UserCard } from "@shared/contract/account.ts";
import { TriangleAlert } from "lucide-react";
import { queryClient } from "../../../lib/query-client.ts";
import { SignedImage } from "../../../ui/image-dialog.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";
import { ProofComparison } from "./proof-comparison.tsx";
import { openProof } from "./reviewed-proof.ts";

/** All image URLs expire together, so one refetch serves all images. */
export const readAgain = () =>
  void queryClient.invalidateQueries({ queryKey: ["admin"] }, { cancelRefetch: false });

/** A user's proof of payment, which opens for review. */
export function UserProof({ user, proof }: { user: UserCard; proof: AdminPaymentProof }) {
  return (
    <div className="flex items-start gap-3">
      <ProofThumbnail user={user} proof={proof} className="size-16" />
      <div className="min-w-0 flex-1 text-sm">
        <p className="break-words">
          <span className="text-ink-faint">Proof from</span>{" "}
          <span className="font-medium">{proof.sender_name}</span>
        </p>
        <p className="figures text-ink-muted">
          <LocalTime iso={proof.submitted_at} />
        </p>
        <DuplicateAlert username={user.username} proof={proof} />
      </div>
    </div>
  );
}

interface ProofThumbnailProps {
  user: UserCard;
  proof: AdminPaymentProof;
  className: string;
}

export function ProofThumbnail({ user, proof, className }: ProofThumbnailProps) {
  return (
    <button
      type="button"
      aria-label={`Enlarge: Payment proof of ${user.username}`}
      aria-haspopup="dialog"
      onClick={() => openProof(user)}
      className={`block shrink-0 cursor-zoom-in overflow-hidden rounded-control border border-line transition-colors hover:border-ink-faint ${className}`}
    >
      <SignedImage
        src={proof.url}
        alt=""
        onExpired={readAgain}
        className="size-full object-cover"
      />
    </button>
  );
}

const proofStates = {
  stored: "",
  replaced: "That proof was replaced since, so its image is deleted.",
  deleted: "That proof and its image were deleted.",
  "user-deleted": "That user was deleted with the image.",
} as const;

/** Warns of an image that was submitted before; nothing for others. */
export function DuplicateAlert({
  username,
  proof,
}: {
  username: string;
  proof: AdminPaymentProof;
}) {
  const { duplicate_of: other, earlier_proof: earlier } = proof;
  if (!other) return null;
  const submitter = other === username ? "the same user" : other;
  return (
    <div className="mt-1.5 flex items-start gap-1.5 text-sm text-wait">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div>
        <p>
          <span className="font-medium">Duplicate image.</span> Also submitted by {submitter}
          {earlier && (
            <>
              {" "}
              on <LocalTime iso={earlier.submitted_at} />
            </>
          )}
          . {earlier && proofStates[earlier.state]}
        </p>
        {earlier?.url && (
          <ProofComparison
            onExpired={readAgain}
            proofs={[
              { title: `${username}, this proof`, url: proof.url, at: proof.submitted_at },
              { title: `${other}, earlier`, url: earlier.url, at: earlier.submitted_at },
            ]}
          />
        )}
      </div>
    </div>
  );
}
