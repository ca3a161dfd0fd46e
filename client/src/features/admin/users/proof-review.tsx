import { Dialog } from "@base-ui/react/dialog";
import type { AdminPaymentProof, UserCard } from "@shared/contract/account.ts";
import { useMutation } from "@tanstack/react-query";
import { Check, ChevronLeft, ChevronRight, Inbox } from "lucide-react";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
} from "react";
import { formatCount } from "../../../lib/format.ts";
import { ErrorAlert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card, Skeleton } from "../../../ui/card.tsx";
import { DialogHeader, dialogClass, SignedImage, useOpener } from "../../../ui/dialog.tsx";
import { Kbd } from "../../../ui/kbd.tsx";
import { QueryView } from "../../../ui/load-states.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";
import {
  accept,
  closeProof,
  hasSameProof,
  neighboursOf,
  oldestFirst,
  openNext,
  openProof,
  type Review,
  SHOW_NEW_PROOF,
  useReview,
} from "../admin-state.ts";
import { useUserDetails, useWaitingProofs } from "../api.ts";
import { approveAndOfferUndo } from "./approve-user.ts";
import { RejectProofButton } from "./reject-proof.tsx";
import { acceptanceOf, TermsFields, useTerms } from "./subscription-terms.tsx";
import { TransactionPanel } from "./transaction-panel.tsx";
import { DeleteProofButton } from "./user-actions.tsx";
import { SubscriptionState } from "./user-card.tsx";
import {
  BillingPeriods,
  DuplicateAlert,
  PlanFee,
  ProofThumbnail,
  Rejection,
  RenewalTag,
  readAgain,
  TimeSince,
} from "./user-proof.tsx";

const MAX_THUMBNAILS = 8;

/** The proofs that await review, and a button that opens the oldest. */
export function WaitingProofs() {
  return (
    <Card className="flex min-h-48 min-w-0 flex-col gap-3 p-4">
      <QueryView
        query={useWaitingProofs()}
        failed="Failed to load the payment proofs."
        skeleton={<Skeleton className="h-40" />}
      >
        {({ users, total }) => <ProofStrip users={oldestFirst(users)} total={total} />}
      </QueryView>
    </Card>
  );
}

function ProofStrip({ users, total }: { users: UserCard[]; total: number }) {
  const [oldest] = users;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h3 className="font-medium">
          Payment proofs{" "}
          <span className="figures ml-1 text-wait">{total > 0 && formatCount(total)}</span>
        </h3>
        {oldest && (
          <Button size="sm" onClick={() => openProof(oldest)}>
            Review proofs
          </Button>
        )}
      </div>
      {!oldest && (
        <p className="flex flex-1 flex-col items-center justify-center gap-2 text-sm text-ink-muted">
          <Inbox aria-hidden className="size-6 text-ink-faint" strokeWidth={1.5} />
          No proofs are waiting.
        </p>
      )}
      <ul className="flex gap-3 overflow-x-auto empty:hidden">
        {users.slice(0, MAX_THUMBNAILS).map((user) => (
          <li key={user.username} className="w-24 shrink-0 text-xs">
            {user.payment_proof && (
              <>
                <ProofThumbnail user={user} proof={user.payment_proof} className="h-20 w-24" />
                <p className="mt-1.5 truncate font-medium">{user.username}</p>
                <p className="truncate text-ink-muted">{user.payment_proof.sender_name}</p>
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The open proof of payment, with what an administrator does about it. */
export function ProofReview() {
  const { review: opened, isOpen } = useReview();
  const waiting = useWaitingProofs().data?.users;
  const opener = useOpener(isOpen);
  useEffect(() => closeProof, []);
  const current = waiting?.find(({ username }) => username === opened?.user.username);
  const review = opened && withCurrent(opened, current);
  const proof = review?.user.payment_proof;
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && closeProof()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogClass.backdrop} />
        {review && proof && <ReviewPopup review={review} proof={proof} opener={opener} />}
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Signed URLs expire, so those that were read last are used. Another proof is not shown unasked. */
function withCurrent(review: Review, current: UserCard | undefined): Review {
  if (!current) return review;
  return hasSameProof(current, review.user)
    ? { ...review, user: current }
    : { ...review, replacedBy: current };
}

/** Presses the button that names the key, unless another dialog is open above. */
function pressShortcut(event: KeyboardEvent<HTMLElement>): void {
  const { currentTarget: popup, target, key } = event;
  const isAbove = target instanceof Node && !popup.contains(target);
  // A field uses the arrow keys itself.
  const isForField = target instanceof HTMLSelectElement && key.startsWith("Arrow");
  if (isAbove || isForField || event.repeat || event.ctrlKey || event.metaKey || event.altKey)
    return;
  const name = key.length === 1 ? key.toUpperCase() : key;
  for (const button of popup.querySelectorAll("button")) {
    if (button.ariaKeyShortcuts === name || button.getAttribute("aria-keyshortcuts") === name) {
      event.preventDefault();
      button.click();
    }
  }
}

interface ReviewPopupProps {
  review: Review;
  proof: AdminPaymentProof;
  opener: RefObject<HTMLElement | null>;
}

function ReviewPopup({ review, proof, opener }: ReviewPopupProps) {
  const { user } = review;
  const { username } = user;
  const popup = useRef<HTMLDivElement>(null);
  // A button that was pressed may be disabled now, so it no longer receives the keys.
  useEffect(() => {
    if (username) popup.current?.focus({ preventScroll: true });
  }, [username]);
  return (
    <Dialog.Popup
      ref={popup}
      initialFocus={popup}
      finalFocus={opener}
      onKeyDown={pressShortcut}
      className={`${dialogClass.popup} flex w-[min(68rem,calc(100vw-1rem))] flex-col p-3 outline-none sm:p-4`}
    >
      <DialogHeader title={`Payment proof of ${username}`} />
      <div className="mt-2 grid gap-4 md:grid-cols-[minmax(0,1fr)_20rem]">
        <a
          href={proof.url}
          target="_blank"
          rel="noreferrer"
          aria-label="Open the image in a new tab"
          className="cursor-zoom-in rounded-control"
        >
          <SignedImage
            src={proof.url}
            alt={`Payment proof of ${username}`}
            onExpired={readAgain}
            className="h-[min(32rem,calc(100dvh-26rem))] min-h-48 w-full rounded-control object-contain md:h-[min(40rem,calc(100dvh-9rem))]"
          />
        </a>
        <div className="flex min-w-0 flex-col gap-4">
          <ReviewFacts {...review} proof={proof} />
          <PreviousPayments username={username} />
          <TransactionPanel username={username} proof={proof} />
          <ReviewActions key={username + proof.filename} {...review} />
        </div>
      </div>
    </Dialog.Popup>
  );
}

function ReviewFacts({ user, proof, isGone, replacedBy }: Review & { proof: AdminPaymentProof }) {
  const { username, email, email_verified: isVerified } = user;
  return (
    <div className="flex flex-col gap-3 text-sm">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3">
        <Fact label="Sender">{proof.sender_name}</Fact>
        <Fact label="Plan">
          {proof.plan ? <PlanFee plan={proof.plan} /> : "Not named"}{" "}
          {proof.renewal && <RenewalTag />}
        </Fact>
        <Fact label="Submitted">
          <LocalTime iso={proof.submitted_at} />
        </Fact>
        <Fact label={reviewLabel(proof)}>
          {proof.reviewed_at ? (
            <LocalTime iso={proof.reviewed_at} />
          ) : (
            <TimeSince iso={proof.submitted_at} />
          )}
        </Fact>
        <Fact label={isVerified ? "Email, verified" : "Email, not verified"} isWide>
          {email}
        </Fact>
        <Fact label="Account" isWide>
          {user.approved ? "Approved" : "Pending"}
          {user.subscription && (
            <>
              {" · "}
              <SubscriptionState subscription={user.subscription} />
            </>
          )}
        </Fact>
      </dl>
      {proof.rejection && <Rejection rejection={proof.rejection} />}
      <DuplicateAlert username={username} proof={proof} />
      <p role="status" className="font-medium text-wait empty:hidden">
        {isGone && "This proof was deleted."}
        {replacedBy &&
          `${username} has submitted another proof since. This one can no longer be accepted.`}
      </p>
      {replacedBy && (
        <Button variant="secondary" size="sm" onClick={() => openProof(replacedBy)}>
          {SHOW_NEW_PROOF}
        </Button>
      )}
    </div>
  );
}

const reviewLabel = ({ reviewed_at: at, rejection }: AdminPaymentProof): string => {
  if (!at) return "Waiting";
  return rejection ? "Rejected" : "Accepted";
};

const MAX_PAYMENTS = 3;

function PreviousPayments({ username }: { username: string }) {
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className="flex flex-col gap-1 text-sm">
      <p id={titleId} className="text-xs text-ink-faint">
        Previous payments
      </p>
      <QueryView
        query={useUserDetails(username)}
        failed="Failed to load the payments."
        skeleton={<Skeleton className="h-5 w-24" />}
      >
        {({ periods }) =>
          periods.length > 0 ? (
            <BillingPeriods periods={periods.slice(0, MAX_PAYMENTS)} />
          ) : (
            <p className="font-medium">None</p>
          )
        }
      </QueryView>
    </section>
  );
}

interface FactProps {
  label: string;
  isWide?: boolean;
  children: ReactNode;
}

function Fact({ label, isWide = false, children }: FactProps) {
  return (
    <div className={isWide ? "col-span-2 min-w-0" : "min-w-0"}>
      <dt className="text-xs text-ink-faint">{label}</dt>
      <dd className="figures mt-0.5 font-medium wrap-anywhere">{children}</dd>
    </div>
  );
}

function ReviewActions({ user, isGone, replacedBy }: Review) {
  const { username } = user;
  const waiting = useWaitingProofs().data?.users ?? [];
  const { earlier, previous, next, others } = neighboursOf(waiting, user);
  const isWaiting = others.length < waiting.length;
  const isOutdated = isGone || replacedBy !== undefined;
  const { terms, change } = useTerms(user);
  const { label, failure, send } = acceptanceOf(user, terms);
  const acceptance = useMutation({
    mutationFn: async () => {
      await (label === "Approve" ? approveAndOfferUndo(user, terms) : accept(user, send));
      openNext(user);
    },
  });
  const actions = useRef<HTMLDivElement>(null);
  // The pressed button was disabled meanwhile, so it no longer has the focus.
  useEffect(() => {
    if (acceptance.isError) actions.current?.closest<HTMLElement>('[role="dialog"]')?.focus();
  }, [acceptance.isError]);
  return (
    <div
      ref={actions}
      className="sticky -bottom-3 -mb-3 flex flex-col gap-3 border-t border-line bg-surface py-3 sm:-bottom-4 sm:-mb-4 md:mt-auto"
    >
      <ErrorAlert title={failure} message={acceptance.error?.message} />
      <div className="flex flex-wrap items-center gap-2">
        <TermsFields user={user} terms={terms} onChange={change} />
      </div>
      <Button
        Icon={Check}
        aria-keyshortcuts="A"
        busy={acceptance.isPending}
        disabled={isOutdated || (user.approved && !isWaiting && !proofRejected(user))}
        onClick={() => acceptance.mutate()}
      >
        {label}
        <Kbd>A</Kbd>
      </Button>
      <div className="grid grid-cols-2 gap-2">
        <RejectProofButton
          user={user}
          shortcut="R"
          look={{ variant: "danger" }}
          disabled={isOutdated || acceptance.isPending || !isWaiting}
          onRejected={() => openNext(user)}
        />
        <DeleteProofButton
          username={username}
          shortcut="D"
          variant="ghostDanger"
          size="md"
          disabled={isOutdated || acceptance.isPending}
          onDeleted={() => openNext(user)}
        />
      </div>
      <div className="flex items-center justify-between gap-2">
        <TurnButton label="Previous proof" shortcut="ArrowLeft" to={previous} />
        <p role="status" className="figures text-sm text-ink-muted">
          {isWaiting ? `${earlier + 1} of ${waiting.length}` : `${others.length} waiting`}
        </p>
        <TurnButton label="Next proof" shortcut="ArrowRight" to={next} />
      </div>
    </div>
  );
}

const proofRejected = ({ payment_proof: proof }: UserCard) => proof?.rejection !== undefined;

interface TurnButtonProps {
  label: string;
  shortcut: "ArrowLeft" | "ArrowRight";
  to: UserCard | undefined;
}

function TurnButton({ label, shortcut, to }: TurnButtonProps) {
  const isBack = shortcut === "ArrowLeft";
  const Icon = isBack ? ChevronLeft : ChevronRight;
  return (
    <Button
      variant="secondary"
      size="sm"
      aria-label={label}
      aria-keyshortcuts={shortcut}
      disabled={!to}
      onClick={() => to && openProof(to)}
    >
      <Icon aria-hidden className="size-4" />
      <Kbd>{isBack ? "←" : "→"}</Kbd>
    </Button>
  );
}
