import type { UserCard } from "@shared/contract/account.ts";
import { creditGrantSchema, roleChangeSchema } from "@shared/contract/admin.ts";
import { planById } from "@shared/contract/plans.ts";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { CredentialFields } from "../../../domain/credential-fields.tsx";
import { parseForm, useFormRequest } from "../../../lib/api/forms.ts";
import { randomKey } from "../../../lib/random-key.ts";
import { ErrorAlert } from "../../../ui/alert.tsx";
import { Button, type ButtonLook } from "../../../ui/button.tsx";
import { ConfirmButton } from "../../../ui/confirm-button.tsx";
import type { Confirmation } from "../../../ui/confirm-dialog.tsx";
import { DialogForm, FormDialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { accept, isWaiting } from "../admin-state.ts";
import {
  actOnUser,
  grantCredits,
  reasonOf,
  runAction,
  runAndConfirm,
  runReversible,
  setImageAccess,
  setRole,
  type UserAction,
} from "../api.ts";
import { offerUndo } from "../undo-access.ts";
import { approveAndOfferUndo } from "./approve-user.ts";
import { RejectProofButton } from "./reject-proof.tsx";
import { acceptanceOf, TermsFields, useTerms } from "./subscription-terms.tsx";

const rowClass = "flex flex-wrap gap-1.5 *:h-8 *:px-2.5";

interface UserActionsProps {
  user: UserCard;
  isSelf: boolean;
  onDeleted?: (() => void) | undefined;
}

export function UserActions({ user, isSelf, onDeleted }: UserActionsProps) {
  const { username, allow_image_upload: isAllowed } = user;
  const access = useMutation({
    mutationFn: () =>
      runReversible(setImageAccess(username, !isAllowed), () =>
        setImageAccess(username, isAllowed),
      ),
  });
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <AccessActions key={user.payment_proof?.filename} user={user} />
      <ErrorAlert
        title="Failed to update image upload permission."
        message={access.error?.message}
      />
      <div className={rowClass}>
        <Button
          variant="secondary"
          size="sm"
          busy={access.isPending}
          onClick={() => access.mutate()}
        >
          {isAllowed ? "Block image upload" : "Allow image upload"}
        </Button>
        <GrantCreditsButton user={user} />
      </div>
      <UserDeletions user={user} isSelf={isSelf} onDeleted={onDeleted} />
    </div>
  );
}

/** Approval and renewal. A new proof of payment needs new ones. */
function AccessActions({ user }: { user: UserCard }) {
  const { terms, change } = useTerms(user);
  const approval = useMutation({ mutationFn: () => approveAndOfferUndo(user, terms) });
  const { label, failure, send } = acceptanceOf(user, terms);
  const payment = useMutation({ mutationFn: () => accept(user, send) });
  return (
    <>
      <ErrorAlert title={`Failed to approve ${user.username}`} message={approval.error?.message} />
      <ErrorAlert title={failure} message={payment.error?.message} />
      <div className="flex flex-wrap items-center gap-2 [&>button]:h-8 [&>button]:px-2.5">
        <TermsFields
          user={user}
          terms={terms}
          onChange={(changed) => {
            change(changed);
            payment.reset();
          }}
        />
        <Button
          variant={user.approved || user.subscription ? "secondary" : "primary"}
          size="sm"
          disabled={user.approved || payment.isPending}
          busy={approval.isPending}
          onClick={() => approval.mutate()}
        >
          Approve
        </Button>
        {label !== "Approve" && terms.plan && (
          <Button
            size="sm"
            // A double click must not renew twice.
            disabled={payment.isSuccess || approval.isPending}
            busy={payment.isPending}
            onClick={() => payment.mutate()}
          >
            {label}
          </Button>
        )}
      </div>
    </>
  );
}

/** The actions on a user that are rarely needed. */
export function AccountActions({ user, isSelf }: { user: UserCard; isSelf: boolean }) {
  return (
    <div className={rowClass}>
      <RoleButton user={user} isSelf={isSelf} />
      {!isSelf && <SignOutButton user={user} />}
    </div>
  );
}

/** The question before an approval is revoked. */
export const revocationOf = (user: UserCard): Confirmation => ({
  title: `Revoke the approval of ${user.username}?`,
  run: async () => {
    const detail = await runAction(actOnUser("revoke", user.username));
    offerUndo(detail, [user.username]);
    return;
  },
  failureText: () => `Failed to revoke ${user.username}`,
  children: (
    <>
      {user.username} loses access to the signal bot and signal history immediately. Signals,
      credits and payment proof are kept.{" "}
      {user.subscription &&
        `The ${planById(user.subscription.plan).name} subscription ends with it.`}
    </>
  ),
});

function UserDeletions({ user, isSelf, onDeleted }: UserActionsProps) {
  const { username } = user;
  const act = (action: UserAction) => () => runAction(actOnUser(action, username));
  const remove = async () => {
    const detail = await act("delete-user")();
    onDeleted?.();
    return detail;
  };
  return (
    <div className={rowClass}>
      <ConfirmButton
        label="Revoke"
        variant="ghost"
        disabled={!user.approved || isSelf}
        {...revocationOf(user)}
      />
      <ConfirmButton
        label="Clear history"
        variant="ghost"
        title={`Clear the signal history of ${username}?`}
        run={act("delete-signal-history")}
        failureText={() => `Failed to clear signal history for ${username}.`}
      >
        All finished signals of {username} are deleted, with their outcomes and chart images. This
        cannot be undone.
      </ConfirmButton>
      {isWaiting(user) && <RejectProofButton user={user} look={{ variant: "ghost", size: "sm" }} />}
      {user.payment_proof && <DeleteProofButton username={username} variant="ghost" />}
      <ConfirmButton
        label="Delete user"
        variant="ghostDanger"
        disabled={isSelf}
        title={`Delete ${username}?`}
        run={remove}
        failureText={(error) => `Failed to delete user ${username}. Error: ${reasonOf(error)}`}
      >
        The account of {username} is deleted with all signals, credits, chart images and the payment
        proof, and {username} is signed out everywhere. This cannot be undone.
      </ConfirmButton>
    </div>
  );
}

interface DeleteProofButtonProps extends ButtonLook {
  username: string;
  shortcut?: string;
  disabled?: boolean;
  onDeleted?(): void;
}

export function DeleteProofButton({ username, onDeleted, ...button }: DeleteProofButtonProps) {
  const run = async () => {
    const detail = await runAction(actOnUser("delete-proof", username));
    onDeleted?.();
    return detail;
  };
  return (
    <ConfirmButton
      {...button}
      label="Delete proof"
      title={`Delete the payment proof of ${username}?`}
      run={run}
      failureText={() => `Failed to delete proof for ${username}.`}
    >
      The image and the sender name are deleted, and {username} is asked for a new proof. This
      cannot be undone.
    </ConfirmButton>
  );
}

const dialogButton = { variant: "secondary", size: "sm" } as const;

function GrantCreditsButton({ user }: { user: UserCard }) {
  return (
    <FormDialog
      label="Grant credits"
      look={dialogButton}
      title={`Grant credits to ${user.username}`}
      form={(close) => <GrantForm user={user} onDone={close} />}
    />
  );
}

function RoleButton({ user, isSelf }: { user: UserCard; isSelf: boolean }) {
  const role = user.role === "admin" ? "user" : "admin";
  const { action, title, effect } = roleChanges[role];
  const ownEffect = "You lose access to this page and must log in again.";
  const description = isSelf ? ownEffect : effect;
  return (
    <RoleDialog
      user={user}
      role={role}
      action={action}
      description={description}
      title={title(user.username)}
    />
  );
}

const roleChanges = {
  admin: {
    action: "Make administrator",
    title: (username: string) => `Make ${username} an administrator?`,
    effect: "They can manage users, payment details and images, and must log in again.",
  },
  user: {
    action: "Make user",
    title: (username: string) => `Make ${username} a user?`,
    effect: "They can no longer open the admin page, and must log in again.",
  },
} as const;

const SignOutButton = ({ user }: { user: UserCard }) => (
  <RoleDialog
    user={user}
    role={user.role}
    action="Sign out everywhere"
    title={`Sign ${user.username} out everywhere?`}
    description="All of their sessions end. They must log in again on every device."
  />
);

const RoleDialog = ({ title, ...form }: Omit<RoleFormProps, "onDone"> & { title: string }) => (
  <FormDialog
    label={form.action}
    look={dialogButton}
    title={title}
    form={(close) => <RoleForm {...form} onDone={close} />}
  />
);

interface RoleFormProps {
  user: UserCard;
  /** The present one ends the user's sessions only. */
  role: UserCard["role"];
  description: string;
  action: string;
  onDone(): void;
}

function RoleForm({ user, role, description, action, onDone }: RoleFormProps) {
  const request = useFormRequest(async (form) => {
    const change = parseForm(roleChangeSchema, { ...form, role });
    await runAndConfirm(setRole(user.username, change));
    onDone();
  });
  const { problem } = request;
  return (
    <DialogForm
      request={request}
      description={description}
      action={action}
      failure={problem?.message}
    >
      <CredentialFields problem={problem} />
    </DialogForm>
  );
}

function GrantForm({ user, onDone }: { user: UserCard; onDone(): void }) {
  const { username, image_credits: balance } = user;
  const [formKey] = useState(randomKey);
  const request = useFormRequest(async (form) => {
    const input = { credits: String(form.credits).trim() };
    const { credits } = parseForm(creditGrantSchema, input);
    const send = (amount: number, key: string) =>
      grantCredits(username, { credits: amount, key: `${key}-${formKey}:${credits}` });
    await runReversible(send(credits, "grant"), () => send(-credits, "undo"));
    onDone();
  });
  const failure = request.problem && "Failed to grant upload credits.";
  return (
    <DialogForm request={request} failure={failure} action="Grant">
      <TextField
        name="credits"
        label="Number of credits"
        hint={`Current balance: ${balance}. Enter a negative number to remove credits.`}
        inputMode="numeric"
        autoComplete="off"
      />
    </DialogForm>
  );
}
