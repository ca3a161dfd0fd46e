import type { UserCard } from "@shared/contract/account.ts";
import { creditGrantSchema, usersEmailSchema } from "@shared/contract/admin.ts";
import { useMutation } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { parseForm, useFormRequest } from "../../../lib/api/forms.ts";
import { formatCount, formatPlural } from "../../../lib/format.ts";
import { randomKey } from "../../../lib/random-key.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmButton } from "../../../ui/confirm-button.tsx";
import { DialogForm, FormDialog } from "../../../ui/dialog.tsx";
import { showToast } from "../../../ui/show-toast.ts";
import { TextField } from "../../../ui/text-field.tsx";
import { actOnUser, emailUsers, grantCredits, reasonOf, runAction, runAndConfirm } from "../api.ts";
import { severalAtOnce } from "../several-at-once.ts";
import { offerUndo } from "../undo-access.ts";
import { approve, defaultTerms } from "./subscription-terms.tsx";

interface BulkActionsProps {
  users: readonly UserCard[];
  ownName: string | undefined;
  onClear(): void;
  /** After the number of selected users. */
  children?: ReactNode;
}

/** What is done to all selected users. */
export function BulkActions({ users, ownName, onClear, children }: BulkActionsProps) {
  const [done, setDone] = useState<number | null>(null);
  const pending = users.filter(({ approved }) => !approved);
  const revocable = users.filter(({ approved, username }) => approved && username !== ownName);
  const each = (chosen: readonly UserCard[], act: (user: UserCard) => Promise<unknown>) =>
    forEachUser(chosen, act, setDone);
  const approval = useMutation({
    mutationFn: async () => {
      const names = await each(pending, (user) => runAction(approve(user, defaultTerms(user))));
      if (names.length > 0) offerUndo(`${formatPlural(names.length, "user")} approved.`, names);
    },
  });
  const revoke = async () => {
    const names = await each(revocable, ({ username }) => runAction(actOnUser("revoke", username)));
    if (names.length > 0) offerUndo(`${formatPlural(names.length, "user")} revoked.`, names);
    return;
  };
  const subscribers = revocable.filter(({ subscription }) => subscription?.status === "active");
  return (
    <section
      aria-label="Selected users"
      className="bulk-bar sticky bottom-2 z-20 flex flex-wrap items-center gap-2 rounded-card border border-line-strong bg-raised p-2 pl-4 shadow-float"
    >
      <p role="status" className="figures mr-auto text-sm font-medium">
        {done === null
          ? `${formatCount(users.length)} selected`
          : `${formatCount(done)} of ${formatCount(users.length)}`}
      </p>
      {children}
      <Button
        size="sm"
        disabled={pending.length === 0}
        busy={approval.isPending}
        onClick={() => approval.mutate()}
      >
        {withCount("Approve", pending)}
      </Button>
      <ConfirmButton
        label={withCount("Revoke", revocable)}
        disabled={revocable.length === 0}
        title={`Revoke the approval of ${formatPlural(revocable.length, "user")}?`}
        run={revoke}
        failureText={reasonOf}
      >
        {namesOf(revocable)} {revocable.length === 1 ? "loses" : "lose"} access to the signal bot
        and signal history immediately. Signals, credits and payment proofs are kept.{" "}
        {subscribers.length > 0 &&
          `${formatPlural(subscribers.length, "subscription")} ${subscribers.length === 1 ? "ends" : "end"} with it.`}
      </ConfirmButton>
      <FormDialog
        label="Grant credits"
        look={{ variant: "secondary", size: "sm" }}
        title={`Grant credits to ${formatPlural(users.length, "user")}`}
        form={(close) => <GrantForm users={users} each={each} onDone={close} />}
      />
      <FormDialog
        label="Email"
        look={{ variant: "secondary", size: "sm" }}
        title={`Email ${formatPlural(users.length, "user")}`}
        form={(close) => <EmailForm users={users} onDone={close} />}
      />
      <Button
        variant="ghost"
        size="sm"
        aria-label="Clear the selection"
        onClick={onClear}
        className="px-2"
      >
        <X aria-hidden className="size-4" />
      </Button>
    </section>
  );
}

const withCount = (action: string, { length }: readonly UserCard[]): string =>
  length > 0 ? `${action} ${formatCount(length)}` : action;

const MAX_NAMES = 5;

function namesOf(users: readonly UserCard[]): string {
  const names = users.map(({ username }) => username);
  if (names.length <= MAX_NAMES) return names.join(", ");
  return `${names.slice(0, MAX_NAMES).join(", ")} and ${names.length - MAX_NAMES} others`;
}

/**
 * Acts on all users, and says for whom it failed.
 * @returns the names for which it succeeded
 */
async function forEachUser(
  users: readonly UserCard[],
  act: (user: UserCard) => Promise<unknown>,
  onProgress: (done: number | null) => void,
): Promise<string[]> {
  const succeeded: string[] = [];
  const failed: string[] = [];
  onProgress(0);
  await severalAtOnce(users, async (user) => {
    try {
      await act(user);
      succeeded.push(user.username);
    } catch (error) {
      failed.push(`${user.username}: ${reasonOf(error)}`);
    }
    onProgress(succeeded.length + failed.length);
  });
  onProgress(null);
  if (failed.length > 0) {
    const title = `Failed for ${formatPlural(failed.length, "user")}`;
    showToast({ title, description: failed.slice(0, MAX_NAMES).join(" ") });
  }
  return succeeded;
}

interface GrantFormProps {
  users: readonly UserCard[];
  each(users: readonly UserCard[], act: (user: UserCard) => Promise<unknown>): Promise<string[]>;
  onDone(): void;
}

function GrantForm({ users, each, onDone }: GrantFormProps) {
  const [formKey] = useState(randomKey);
  const request = useFormRequest(async (form) => {
    const { credits } = parseForm(creditGrantSchema, { credits: String(form.credits).trim() });
    const key = `grant-${formKey}:${credits}`;
    const names = await each(users, ({ username }) =>
      runAction(grantCredits(username, { credits, key })),
    );
    if (names.length > 0) {
      showToast({
        title: `${formatPlural(names.length, "user")} got ${formatPlural(credits, "image credit")} each.`,
      });
    }
    onDone();
  });
  const failure = request.problem && "Failed to grant upload credits.";
  return (
    <DialogForm request={request} failure={failure} action="Grant">
      <TextField
        name="credits"
        label="Number of credits for each"
        hint="Enter a negative number to remove credits."
        inputMode="numeric"
        autoComplete="off"
      />
    </DialogForm>
  );
}

function EmailForm({ users, onDone }: { users: readonly UserCard[]; onDone(): void }) {
  const request = useFormRequest(async ({ subject, text }) => {
    const usernames = users.map(({ username }) => username);
    await runAndConfirm(emailUsers(parseForm(usersEmailSchema, { usernames, subject, text })));
    onDone();
  });
  const failure = request.problem && `The email was not sent. ${request.problem.message}`;
  return (
    <DialogForm
      request={request}
      failure={failure}
      action="Send email"
      description={`Each gets an email of their own, with a greeting: ${namesOf(users)}.`}
    >
      <TextField name="subject" label="Subject" maxLength={120} autoComplete="off" />
      <TextField name="text" label="Text" rows={6} maxLength={5_000} />
    </DialogForm>
  );
}
