import type { ReactNode } from "react";
import type { Account } from "../../lib/live/live-state.ts";
import { useLive } from "../../lib/live/live-store.ts";
import { Card } from "../../ui/card.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { dashboardTexts as texts } from "./texts.ts";

/** Who is signed in; follows every change of the account. */
export function AccountCard() {
  const account = useLive((live) => live.account);
  return (
    <Card className="p-6">
      <h2 className="text-sm font-medium text-ink-muted">{texts.accountTitle}</h2>
      <dl className="mt-4 flex flex-col gap-4">
        <Fact label={texts.username} value={account?.username} />
        <Fact label={texts.email} value={account && <Email account={account} />} />
        <Fact label={texts.credits} value={account?.image_credits} />
      </dl>
    </Card>
  );
}

function Email({ account }: { account: Account }) {
  const { email, email_verified } = account;
  return (
    <>
      <span className="break-all">{email}</span>
      <span className={`ml-2 text-sm ${email_verified ? "text-buy" : "text-wait"}`}>
        {email_verified ? texts.verified : texts.notVerified}
      </span>
    </>
  );
}

function Fact({ label, value }: { label: string; value: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-ink-faint">{label}</dt>
      <dd className="figures mt-0.5">{value ?? <Skeleton className="h-6 w-36" />}</dd>
    </div>
  );
}
