import { Form } from "@base-ui/react/form";
import { type ActionDone, actionDoneSchema } from "@shared/contract/admin.ts";
import {
  accountDeletionSchema,
  changePasswordRequestSchema,
  type SessionList,
  sessionListSchema,
} from "@shared/contract/authentication.ts";
import { MESSAGES, MIN_ADMIN_PASSWORD_LENGTH, TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleDashed, Download, MonitorSmartphone } from "lucide-react";
import type { ReactNode } from "react";
import { z } from "zod";
import { CredentialFields } from "../../domain/credential-fields.tsx";
import { useMe } from "../../domain/me.ts";
import { api } from "../../lib/api/client.ts";
import { ApiError } from "../../lib/api/errors.ts";
import {
  type FormFields,
  parseForm,
  parsePasswordForm,
  useFormRequest,
} from "../../lib/api/forms.ts";
import { describeBrowser } from "../../lib/describe-browser.ts";
import { saveFile } from "../../lib/save-file.ts";
import { useSession } from "../../lib/session.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button, TextLink } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { DialogForm, FormDialog } from "../../ui/dialog.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { NewPasswordFields, PasswordField, TextField } from "../../ui/text-field.tsx";
import { ApiKeysCard } from "./api-keys-card.tsx";
import { EndableItem } from "./endable-item.tsx";
import { ResendVerification } from "./resend-verification.tsx";
import { TwoFactorCard } from "./two-factor-card.tsx";

/** @param children further sections */
export function AccountPage({ children }: { children?: ReactNode }) {
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <PageHeading title="User Panel">
        Manage your password, sessions, email, notifications and data.
      </PageHeading>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
        <div className="flex flex-col gap-6">
          <ChangePasswordForm />
          <TwoFactorCard />
          <ApiKeysCard />
          <DataCard />
        </div>
        <div className="flex flex-col gap-6">
          <EmailCard />
          <SessionsCard />
        </div>
      </div>
      {children}
    </div>
  );
}

function EmailCard() {
  const { email, email_verified: verified } = useMe() ?? {};
  const VerifiedIcon = verified ? CircleCheck : CircleDashed;
  return (
    <Card id="email" className="flex scroll-mt-24 flex-col gap-4 p-6">
      <h2 className="text-lg font-semibold tracking-tight">Email address</h2>
      {email === undefined ? (
        <div role="status" aria-label="Loading your account" className="flex flex-col gap-3">
          <Skeleton className="h-6 w-52 max-w-full" />
          <Skeleton className="h-5 w-28" />
          <Skeleton className="h-10" />
        </div>
      ) : (
        <>
          <div>
            <p className="break-all">{email}</p>
            <p
              role="status"
              className={`mt-1.5 flex items-center gap-1.5 text-sm font-medium ${verified ? "text-buy" : "text-wait"}`}
            >
              <VerifiedIcon aria-hidden className="size-4" />
              {verified ? "Verified" : "Not verified yet"}
            </p>
          </div>
          <p className="text-sm leading-relaxed text-ink-muted text-pretty">
            {verified
              ? "Password reset links are sent to this address."
              : "Open the link in the email we sent when you registered. It expires after 24 hours; you can request a new one."}
          </p>
          {!verified && <ResendVerification />}
        </>
      )}
    </Card>
  );
}

function ChangePasswordForm() {
  const username = useMe()?.username ?? "";
  const isAdmin = useSession((session) => session.isAdmin);
  const { formProps, isPending, reply, problem } = useFormRequest(changePassword);
  const failure = problem && changePasswordError(problem);
  return (
    <Card className="flex flex-col gap-5 p-6">
      <h2 className="text-lg font-semibold tracking-tight">Change password</h2>
      <Form {...formProps} className="flex max-w-md flex-col gap-5">
        {/* For password managers. */}
        <input
          type="text"
          name="username"
          autoComplete="username"
          value={username}
          readOnly
          hidden
        />
        <PasswordField
          name="current_password"
          label="Current password"
          autoComplete="current-password"
        />
        <NewPasswordFields {...(isAdmin && { minLength: MIN_ADMIN_PASSWORD_LENGTH })} />
        <p className="text-sm leading-relaxed text-ink-muted text-pretty">
          Changing your password signs you out on all other devices and browsers.
        </p>
        {failure && (
          <Alert tone="error" role="alert">
            <p>{failure.text}</p>
            {failure.reason && <p className="mt-1 text-ink-faint">{failure.reason}</p>}
          </Alert>
        )}
        {reply && (
          <Alert tone="success" role="status" title="Password changed">
            You have been signed out on all other devices and browsers.
          </Alert>
        )}
        <Button type="submit" busy={isPending} className="self-start">
          {isPending ? "Changing..." : "Change password"}
        </Button>
      </Form>
    </Card>
  );
}

async function changePassword(form: FormFields): Promise<ActionDone> {
  const body = parsePasswordForm(changePasswordRequestSchema, form);
  return api({ method: "POST", path: "/change-password", body, schema: actionDoneSchema });
}

/** Codes set by the client when the server did not answer. */
const NOT_THE_SERVERS = ["network", "timeout", "bad-reply", "unknown"];

export function changePasswordError(error: Error): { text: string; reason: string | null } {
  if (!(error instanceof ApiError)) return { text: MESSAGES.wrongPassword, reason: null };
  const { code, message } = error;
  if (!NOT_THE_SERVERS.includes(code)) return { text: message, reason: null };
  return { text: MESSAGES.wrongPassword, reason: message };
}

const SESSIONS = ["sessions"];

function SessionsCard() {
  const sessions = useQuery({
    queryKey: SESSIONS,
    queryFn: ({ signal }) => api({ path: "/me/sessions", schema: sessionListSchema, signal }),
  });
  return (
    <Card className="flex flex-col gap-4 p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">Sessions</h2>
        <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">
          Where you are signed in. End any session you don't recognize, then change your password.
        </p>
      </div>
      <QueryView
        query={sessions}
        failed="Failed to load your sessions."
        skeleton={<Skeleton className="h-14" />}
      >
        {(list) => (
          <ul className="flex flex-col gap-4">
            {list.sessions.map((session) => (
              <SessionItem key={session.id} session={session} />
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  );
}

function SessionItem({ session }: { session: SessionList["sessions"][number] }) {
  const { id, current, last_seen_at, user_agent } = session;
  const browser = describeBrowser(user_agent);
  return (
    <li>
      <EndableItem
        path="/me/sessions/:id"
        id={id}
        listKey={SESSIONS}
        name={current ? null : `the session in ${browser}`}
      >
        <MonitorSmartphone aria-hidden className="size-5 shrink-0 text-ink-faint" />
        <div className="min-w-0 grow">
          <p className="truncate text-sm font-medium" title={user_agent}>
            {browser}
          </p>
          <p className="text-sm text-ink-faint">
            {current ? "This session" : <LocalTime iso={last_seen_at} />}
          </p>
        </div>
      </EndableItem>
    </li>
  );
}

function DataCard() {
  const download = useMutation({ mutationFn: downloadData });
  return (
    <Card className="flex flex-col gap-4 p-6">
      <h2 className="text-lg font-semibold tracking-tight">Your data</h2>
      <p className="text-sm leading-relaxed text-ink-muted text-pretty">
        Download a copy of what is stored about you as a JSON file, or delete your account. The{" "}
        <TextLink to="/privacy">Privacy Policy</TextLink> says what is stored and why.
      </p>
      <ErrorAlert title="The download failed." message={download.error?.message} />
      <div className="flex flex-wrap gap-3">
        <Button
          Icon={Download}
          variant="secondary"
          busy={download.isPending}
          onClick={() => download.mutate()}
        >
          Download my data
        </Button>
        <FormDialog
          label="Delete my account"
          look={{ variant: "danger" }}
          title="Delete your account?"
          form={() => <DeletionForm />}
        />
      </div>
    </Card>
  );
}

async function downloadData(): Promise<void> {
  const timeoutMs = TIMEOUTS_MS.history;
  const data = await api({ path: "/me/data", timeoutMs, schema: z.json() });
  const day = new Date().toISOString().slice(0, 10);
  saveFile(`my-data-${day}.json`, `${JSON.stringify(data, null, 2)}\n`, "application/json");
}

function DeletionForm() {
  const username = useMe()?.username;
  const signOut = useSession((session) => session.signOut);
  const request = useFormRequest(async (form) => {
    const body = parseForm(accountDeletionSchema, form);
    await api({ method: "DELETE", path: "/me", body, schema: z.undefined() });
    signOut("deleted");
  });
  return (
    <DialogForm
      request={request}
      failure={request.problem?.message}
      action="Delete my account"
      variant="dangerSolid"
      description="Your signals, watchlist, channels, images, credits and payment proof are deleted with your account. This cannot be undone."
    >
      <TextField
        name="username"
        label={`Enter ${username ?? "your username"} to confirm`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        aria-required
      />
      <CredentialFields problem={request.problem} />
    </DialogForm>
  );
}
