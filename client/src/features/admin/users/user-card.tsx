import type { AdminPaymentProof, UserCard } from "@shared/contract/account.ts";
import {
  BadgeCheck,
  Clock,
  MailCheck,
  MailQuestion,
  ShieldCheck,
  TriangleAlert,
} from "lucide-react";
import { memo, type ReactNode } from "react";
import { useMe } from "../../../lib/me.ts";
import { queryClient } from "../../../lib/query-client.ts";
import { ImageDialog } from "../../../ui/image-dialog.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";
import { adminKeys } from "../api.ts";
import { ProofComparison } from "./proof-comparison.tsx";
import { UserActions } from "./user-actions.tsx";

export const UserItem = memo(function UserItem({ user }: { user: UserCard }) {
  const isSelf = useMe()?.username === user.username;
  const titleId = `user-${user.username}`;
  return (
    <article
      aria-labelledby={titleId}
      className="flex w-full min-w-0 flex-col gap-4 rounded-card border border-line bg-surface p-4 sm:p-5"
    >
      <header className="flex items-start gap-3">
        <span
          aria-hidden
          className="flex size-10 shrink-0 items-center justify-center rounded-full bg-raised font-semibold text-ink-muted uppercase"
        >
          {user.username.slice(0, 1)}
        </span>
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <h3 id={titleId} className="font-semibold tracking-tight break-all">
              {user.username}
            </h3>
            {isSelf && <Tag>You</Tag>}
            {user.role === "admin" && (
              <Tag>
                <ShieldCheck aria-hidden className="size-3.5" />
                Admin
              </Tag>
            )}
          </div>
          <Email user={user} />
        </div>
        <Approval approved={user.approved} />
      </header>
      <Facts user={user} />
      {user.payment_proof && <UserProof username={user.username} proof={user.payment_proof} />}
      <UserActions user={user} isSelf={isSelf} />
    </article>
  );
});

function Tag({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1 rounded-md bg-raised px-1.5 py-0.5 text-xs font-medium text-ink-muted">
      {children}
    </span>
  );
}

function Approval({ approved }: { approved: boolean }) {
  const Icon = approved ? BadgeCheck : Clock;
  return (
    <span
      className={`inline-flex shrink-0 items-center gap-1.5 text-sm font-medium ${approved ? "text-buy" : "text-wait"}`}
    >
      <Icon aria-hidden className="size-4" />
      {approved ? "Approved" : "Pending"}
    </span>
  );
}

function Email({ user }: { user: UserCard }) {
  const Icon = user.email_verified ? MailCheck : MailQuestion;
  const status = user.email_verified ? "Email verified" : "Email not verified";
  return (
    <p className="flex items-center gap-1.5 text-sm text-ink-muted">
      <Icon
        role="img"
        aria-label={status}
        className={`size-4 shrink-0 ${user.email_verified ? "text-buy" : "text-wait"}`}
      >
        <title>{status}</title>
      </Icon>
      <span className="min-w-0 break-all">{user.email}</span>
    </p>
  );
}

function Facts({ user }: { user: UserCard }) {
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 rounded-control bg-canvas px-4 py-3 sm:grid-cols-[1fr_1fr_1.4fr]">
      <Fact label="Image credits">{user.image_credits}</Fact>
      <Fact label="Image upload">{user.allow_image_upload ? "Allowed" : "Blocked"}</Fact>
      <Fact label="Registered">
        <LocalTime iso={user.created_at} />
      </Fact>
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-xs text-ink-faint">{label}</dt>
      <dd className="figures mt-0.5 text-sm font-medium">{children}</dd>
    </div>
  );
}

/** All image URLs expire together, so one refetch serves all cards. */
const readAgain = () =>
  void queryClient.invalidateQueries({ queryKey: adminKeys.users }, { cancelRefetch: false });

function UserProof({ username, proof }: { username: string; proof: AdminPaymentProof }) {
  return (
    <div className="flex items-start gap-4">
      <ImageDialog
        src={proof.url}
        title={`Payment proof of ${username}`}
        onExpired={readAgain}
        className="size-20"
      />
      <div className="min-w-0 flex-1 text-sm">
        <p className="text-ink-faint">Proof from</p>
        <p className="font-medium break-words">{proof.sender_name}</p>
        <p className="figures text-ink-muted">
          <LocalTime iso={proof.submitted_at} />
        </p>
        {proof.duplicate_of && <DuplicateAlert username={username} proof={proof} />}
      </div>
    </div>
  );
}

const proofStates = {
  stored: "",
  replaced: "That proof was replaced since, so its image is deleted.",
  deleted: "That proof and its image were deleted.",
  "user-deleted": "That user was deleted with the image.",
} as const;

function DuplicateAlert({ username, proof }: { username: string; proof: AdminPaymentProof }) {
  const { duplicate_of: other, earlier_proof: earlier } = proof;
  const submitter = other === username ? "the same user" : other;
  return (
    <div className="mt-1.5 flex items-start gap-1.5 text-wait">
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
