import { Dialog } from "@base-ui/react/dialog";
import type { AdminPaymentProof, UserCard } from "@shared/contract/account.ts";
import { rejectionText } from "@shared/contract/events/account-events.ts";
import { type PlanId, planById } from "@shared/contract/plans.ts";
import type { ProofRejection } from "@shared/contract/proof-rejection.ts";
import type { BillingPeriod } from "@shared/contract/subscription.ts";
import { Columns2, Receipt, TriangleAlert } from "lucide-react";
import { usePlans } from "../../../domain/plans.ts";
import { formatDay, formatDuration, formatPlural } from "../../../lib/format.ts";
import { queryClient } from "../../../lib/query-client.ts";
import { useNow } from "../../../lib/use-now.ts";
import { buttonClass } from "../../../ui/button.tsx";
import { DialogHeader, dialogClass, ImageDialog, SignedImage } from "../../../ui/dialog.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";
import { openProof } from "../admin-state.ts";
import { formatFee } from "./subscription-terms.tsx";
import { VerificationNote } from "./verification-note.tsx";

interface ComparedProof {
  title: string;
  url: string;
  at: string;
}

/** A button that shows two proofs of payment side by side. */
function ProofComparison({
  proofs,
  onExpired,
}: {
  proofs: readonly ComparedProof[];
  onExpired(): void;
}) {
  return (
    <Dialog.Root>
      <Dialog.Trigger
        className={`${buttonClass({ variant: "secondary", size: "sm" })} mt-2 text-ink`}
      >
        <Columns2 aria-hidden className="size-4" />
        Compare images
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogClass.backdrop} />
        <Dialog.Popup className={`${dialogClass.popup} w-[min(60rem,calc(100vw-1rem))] p-3 sm:p-4`}>
          <DialogHeader title="Compare proofs of payment" />
          <div className="mt-2 grid grid-cols-2 gap-2 sm:gap-4">
            {proofs.map(({ title, url, at }) => (
              <figure key={title} className="flex min-w-0 flex-col gap-2">
                <figcaption className="px-1 text-xs text-ink-muted sm:text-sm">
                  <span className="block font-medium break-words text-ink">{title}</span>
                  <span className="figures">
                    <LocalTime iso={at} />
                  </span>
                </figcaption>
                <a
                  href={url}
                  target="_blank"
                  rel="noreferrer"
                  aria-label={`${title}: open in a new tab`}
                  className="cursor-zoom-in"
                >
                  <SignedImage
                    src={url}
                    alt={title}
                    onExpired={onExpired}
                    className="max-h-[calc(100dvh-10rem)] min-h-40 w-full rounded-control object-contain"
                  />
                </a>
              </figure>
            ))}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

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
          {proof.reviewed_at === undefined && (
            <>
              ,{" "}
              <span className="whitespace-nowrap">
                waiting <TimeSince iso={proof.submitted_at} />
              </span>
            </>
          )}
        </p>
        <p className="flex flex-wrap items-center gap-x-2 empty:hidden">
          {proof.plan && <PlanFee plan={proof.plan} />}
          {proof.renewal && <RenewalTag />}
        </p>
        {proof.rejection && <Rejection rejection={proof.rejection} />}
        {proof.verification && (
          <VerificationNote username={user.username} {...proof.verification} />
        )}
        <DuplicateAlert username={user.username} proof={proof} />
      </div>
    </div>
  );
}

/** The plan that a proof names, with what it costs. */
export function PlanFee({ plan }: { plan: PlanId }) {
  const { name, monthlyUsd } = planById(plan, usePlans());
  return (
    <span className="figures">
      {name}, {formatFee(monthlyUsd)} a month
    </span>
  );
}

export const RenewalTag = () => (
  <span className="rounded-md bg-accent/12 px-1.5 py-0.5 text-xs font-medium text-accent">
    Renewal
  </span>
);

const TICK_MS = 30_000;

/** Time since a moment in its largest unit, e.g. `2 h`, which grows while it is shown. */
export function TimeSince({ iso }: { iso: string }) {
  const now = useNow(true, TICK_MS);
  const [amount, unit] = formatDuration(now - Date.parse(iso)).split(" ");
  return <span className="figures whitespace-nowrap">{`${amount} ${unit}`}</span>;
}

/**
 * Stands for a proof in a table, whose image is loaded when it is opened: a page of images that are too small to be read
 * would take seconds, and the security log would say that all of them were read.
 */
export const ProofIcon = () => (
  <span className="flex size-full items-center justify-center">
    <Receipt aria-hidden className="size-4.5" strokeWidth={1.75} />
  </span>
);

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

/** Why a proof was rejected, as its user reads it. */
export const Rejection = ({ rejection }: { rejection: ProofRejection }) => (
  <p className="text-sm wrap-anywhere">
    <span className="font-medium text-danger">Rejected.</span>{" "}
    <span className="text-ink-muted">{rejectionText(rejection)}</span>
  </p>
);

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

/** Payments for a subscription, with their proofs. */
export const BillingPeriods = ({ periods }: { periods: readonly BillingPeriod[] }) => (
  <ul className="divide-y divide-line rounded-control border border-line text-sm">
    {periods.map(({ plan, months, price_usd, started_at, ends_at, revoked_at, proof }) => (
      <li key={started_at} className="flex items-center gap-3 px-3 py-2">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap justify-between gap-x-3 font-medium">
            <span>
              {planById(plan).name}, {formatPlural(months, "month")}
            </span>
            <span className="figures">{formatFee(price_usd)}</span>
          </p>
          <p className="figures text-xs text-ink-muted">
            {formatDay(started_at)} – {formatDay(ends_at)}
            {revoked_at && <span className="text-wait"> · Revoked {formatDay(revoked_at)}</span>}
          </p>
          <p className="text-xs break-words text-ink-muted">
            {proof ? `Proof from ${proof.sender_name}` : "No proof"}
          </p>
        </div>
        {proof && (
          <ImageDialog
            src={proof.url}
            title={`Proof from ${proof.sender_name}, ${formatDay(proof.submitted_at)}`}
            onExpired={readAgain}
            className="size-10"
          />
        )}
      </li>
    ))}
  </ul>
);
