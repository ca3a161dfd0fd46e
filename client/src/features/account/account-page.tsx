import { CircleCheck, CircleDashed } from "lucide-react";
import type { ReactNode } from "react";
import { useMe } from "../../lib/me.ts";
import { Card, Skeleton } from "../../ui/card.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { ChangePasswordForm } from "./change-password-form.tsx";
import { DataCard } from "./data-card.tsx";
import { ResendVerification } from "./resend-verification.tsx";
import { SessionsCard } from "./sessions-card.tsx";
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
