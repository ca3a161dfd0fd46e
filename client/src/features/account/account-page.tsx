import { Bell, CircleCheck, CircleDashed } from "lucide-react";
import { useMe } from "../../lib/me.ts";
import { playChime } from "../../lib/notifications/chime.ts";
import {
  requestPermission,
  useNotificationSettings,
} from "../../lib/notifications/notification-settings.ts";
import { useSession } from "../../lib/session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { ChangePasswordForm } from "./change-password-form.tsx";
import { DataCard } from "./data-card.tsx";
import { ResendVerification } from "./resend-verification.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { TwoFactorCard } from "./two-factor-card.tsx";

export function AccountPage() {
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <PageHeading title="User Panel">
        Manage your password, sessions, email, notifications and data.
      </PageHeading>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
        <div className="flex flex-col gap-6">
          <ChangePasswordForm />
          <TwoFactorCard />
          <DataCard />
        </div>
        <div className="flex flex-col gap-6">
          <EmailCard />
          <SessionsCard />
          <NotificationsCard />
        </div>
      </div>
    </div>
  );
}

function EmailCard() {
  const { email, email_verified: verified } = useMe() ?? {};
  const VerifiedIcon = verified ? CircleCheck : CircleDashed;
  return (
    <Card className="flex flex-col gap-4 p-6">
      <h2 className="text-lg font-semibold tracking-tight">Email address</h2>
      {email === undefined ? (
        <div role="status" aria-label="Loading your account" className="flex flex-col gap-3">
          <Skeleton className="h-6 w-52 max-w-full" />
          <Skeleton className="h-5 w-28" />
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

function NotificationsCard() {
  const permission = useNotificationSettings((settings) => settings.permission);
  const isAdmin = useSession((session) => session.isAdmin);
  return (
    <Card className="flex flex-col gap-4 p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">Notifications</h2>
        <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">
          {isAdmin
            ? "Get a browser notification for finished signals, new registrations and payment proofs. Applies to this browser."
            : "Get a browser notification when a signal is ready. Applies to this browser."}
        </p>
      </div>
      {permission === "default" && (
        <Button
          Icon={Bell}
          variant="secondary"
          className="self-start"
          onClick={() => void requestPermission()}
        >
          Allow notifications
        </Button>
      )}
      {permission === "granted" && <Switches />}
      {permission === "denied" && (
        <Alert tone="warning" title="Blocked in this browser">
          Notifications are blocked. Allow them in your browser's site settings.
        </Alert>
      )}
      {permission === "unsupported" && (
        <Alert tone="info">This browser doesn't support notifications on this page.</Alert>
      )}
    </Card>
  );
}

function Switches() {
  const { off, muted } = useNotificationSettings();
  const setSound = (on: boolean) => {
    useNotificationSettings.setState({ muted: !on });
    if (on) void playChime();
  };
  return (
    <div className="flex flex-col gap-4 border-t border-line pt-4">
      <SwitchField
        label="Show notifications"
        checked={!off}
        onChange={(checked) => useNotificationSettings.setState({ off: !checked })}
      />
      <SwitchField
        label="Sound"
        hint="Play a sound with each notification."
        checked={!muted}
        disabled={off}
        onChange={setSound}
      />
    </div>
  );
}

interface SwitchFieldProps {
  label: string;
  hint?: string;
  checked: boolean;
  disabled?: boolean;
  onChange(checked: boolean): void;
}

function SwitchField({ label, hint, checked, disabled, onChange }: SwitchFieldProps) {
  return (
    <label className="flex cursor-pointer items-start justify-between gap-6 has-disabled:cursor-default has-disabled:opacity-60">
      <span className="min-w-0">
        <span className="block text-sm font-medium">{label}</span>
        {hint && <span className="mt-0.5 block text-sm text-ink-faint text-pretty">{hint}</span>}
      </span>
      <span className="relative mt-0.5 h-6 w-11 shrink-0 rounded-full border border-line-strong bg-raised transition-colors has-checked:border-accent has-checked:bg-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
        <input
          type="checkbox"
          role="switch"
          checked={checked}
          aria-checked={checked}
          disabled={disabled}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
          className="peer absolute inset-0 cursor-pointer opacity-0"
        />
        <span
          aria-hidden
          className="pointer-events-none absolute top-0.5 left-0.5 size-[1.125rem] rounded-full bg-ink-faint transition-transform peer-checked:translate-x-5 peer-checked:bg-on-accent"
        />
      </span>
    </label>
  );
}
