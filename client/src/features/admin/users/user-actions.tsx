import { Dialog } from "@base-ui/react/dialog";
import { Form } from "@base-ui/react/form";
import type { UserCard } from "@shared/contract/account.ts";
import { creditGrantSchema } from "@shared/contract/admin.ts";
import { useMutation } from "@tanstack/react-query";
import { Check, Coins, ImageOff, ImagePlus } from "lucide-react";
import { type FormEvent, useState } from "react";
import { errorText } from "../../../lib/api/errors.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button, buttonClass } from "../../../ui/button.tsx";
import { ConfirmButton } from "../../../ui/confirm-button.tsx";
import { dialogClass } from "../../../ui/dialog-class.ts";
import { showToast } from "../../../ui/show-toast.ts";
import { TextField } from "../../../ui/text-field.tsx";
import {
  actOnUser,
  grantCredits,
  reasonOf,
  runAction,
  setImageAccess,
  type UserAction,
} from "../api.ts";
import { actionMessages, confirmMessages, creditMessages, failureMessages } from "../messages.ts";

interface UserActionsProps {
  user: UserCard;
  /** The administrator's own card. */
  isSelf: boolean;
}

/** Everything that can be done with one user. */
export function UserActions({ user, isSelf }: UserActionsProps) {
  const { username, allow_image_upload: isAllowed } = user;
  const approve = useMutation({
    mutationFn: async () => showToast({ title: await runAction(actOnUser("approve", username)) }),
  });
  const access = useMutation({
    mutationFn: async (allow: boolean) =>
      showToast({ title: await runAction(setImageAccess(username, allow)) }),
  });
  const AccessIcon = isAllowed ? ImageOff : ImagePlus;
  return (
    <div className="mt-auto flex flex-col gap-3">
      {approve.error && <Failed text={failureMessages.approve(username)} error={approve.error} />}
      {access.error && <Failed text={failureMessages.imageAccess} error={access.error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          variant={user.approved ? "secondary" : "primary"}
          size="sm"
          disabled={user.approved}
          busy={approve.isPending}
          onClick={() => approve.mutate()}
        >
          {!approve.isPending && <Check aria-hidden className="size-4" />}
          {actionMessages.approve}
        </Button>
        <Button
          variant="secondary"
          size="sm"
          busy={access.isPending}
          onClick={() => access.mutate(!isAllowed)}
        >
          {!access.isPending && <AccessIcon aria-hidden className="size-4" />}
          {isAllowed ? actionMessages.blockImages : actionMessages.allowImages}
        </Button>
        <GrantCreditsButton user={user} />
      </div>
      <UserDeletions user={user} isSelf={isSelf} />
    </div>
  );
}

function Failed({ text, error }: { text: string; error: Error }) {
  return (
    <Alert tone="error" role="alert" title={text}>
      {errorText(error, "")}
    </Alert>
  );
}

/** What takes something from a user; each asks first. */
function UserDeletions({ user, isSelf }: { user: UserCard; isSelf: boolean }) {
  const { username } = user;
  const act = (action: UserAction) => () => runAction(actOnUser(action, username));
  return (
    <div className="-mb-1 flex flex-wrap gap-x-1 border-t border-line pt-2 *:first:-ml-3">
      <ConfirmButton
        label={actionMessages.revoke}
        variant="ghost"
        disabled={!user.approved || isSelf}
        title={confirmMessages.revokeTitle(username)}
        run={act("revoke")}
        failureText={() => failureMessages.revoke(username)}
      >
        {confirmMessages.revoke(username)}
      </ConfirmButton>
      <ConfirmButton
        label={actionMessages.clearHistory}
        variant="ghost"
        title={confirmMessages.clearHistoryTitle(username)}
        run={act("delete-signal-history")}
        failureText={() => failureMessages.clearHistory(username)}
      >
        {confirmMessages.clearHistory(username)}
      </ConfirmButton>
      {user.payment_proof && (
        <ConfirmButton
          label={actionMessages.deleteProof}
          variant="ghost"
          title={confirmMessages.deleteProofTitle(username)}
          run={act("delete-proof")}
          failureText={() => failureMessages.deleteProof(username)}
        >
          {confirmMessages.deleteProof(username)}
        </ConfirmButton>
      )}
      <ConfirmButton
        label={actionMessages.deleteUser}
        variant="ghostDanger"
        disabled={isSelf}
        title={confirmMessages.deleteUserTitle(username)}
        run={act("delete-user")}
        failureText={(error) => failureMessages.deleteUser(username, reasonOf(error))}
      >
        {confirmMessages.deleteUser(username)}
      </ConfirmButton>
      {isSelf && (
        <p className="basis-full pt-1 text-xs text-ink-faint">{actionMessages.ownAccount}</p>
      )}
    </div>
  );
}

/** Asks for a number of credits and adds it to the user's balance. */
function GrantCreditsButton({ user }: { user: UserCard }) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className={buttonClass({ variant: "secondary", size: "sm" })}>
        <Coins aria-hidden className="size-4" />
        {actionMessages.grantCredits}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogClass.backdrop} />
        <Dialog.Popup className={`${dialogClass.popup} ${dialogClass.narrow}`}>
          <Dialog.Title className={dialogClass.title}>
            {creditMessages.title(user.username)}
          </Dialog.Title>
          <GrantForm user={user} onDone={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function GrantForm({ user, onDone }: { user: UserCard; onDone(): void }) {
  const [credits, setCredits] = useState("");
  const [isInvalid, setInvalid] = useState(false);
  const grant = useMutation({
    mutationFn: async (amount: number) =>
      showToast({ title: await runAction(grantCredits(user.username, amount)) }),
    onSuccess: onDone,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { data } = creditGrantSchema.safeParse({ credits: credits.trim() });
    setInvalid(!data);
    if (data && !grant.isPending) grant.mutate(data.credits);
  };
  return (
    <Form
      errors={isInvalid ? { credits: creditMessages.invalid } : {}}
      onSubmit={submit}
      className="mt-4 flex flex-col"
    >
      <TextField
        name="credits"
        label={creditMessages.label}
        hint={creditMessages.hint(user.image_credits)}
        inputMode="numeric"
        autoComplete="off"
        value={credits}
        onValueChange={(value) => {
          setCredits(value);
          setInvalid(false);
        }}
      />
      {grant.isError && (
        <Alert tone="error" role="alert" className="mt-4">
          {failureMessages.grantCredits}
        </Alert>
      )}
      <div className={dialogClass.actions}>
        <Dialog.Close className={buttonClass({ variant: "secondary" })}>
          {creditMessages.cancel}
        </Dialog.Close>
        <Button type="submit" busy={grant.isPending}>
          {creditMessages.submit}
        </Button>
      </div>
    </Form>
  );
}
