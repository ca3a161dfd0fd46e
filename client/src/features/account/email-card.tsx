import { CircleCheck, CircleDashed } from "lucide-react";
import { useLive } from "../../lib/live/live-store.ts";
import { Card } from "../../ui/card.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ResendVerification } from "./resend-verification.tsx";
import { emailTexts as texts } from "./texts.ts";

/** The user's address, and whether he has confirmed it; follows the confirmation as it happens elsewhere. */
export function EmailCard() {
  const email = useLive((live) => live.account?.email);
  const verified = useLive((live) => live.account?.email_verified);
  return (
    <Card className="flex flex-col gap-4 p-6">
      <h2 className="text-lg font-semibold tracking-tight">{texts.title}</h2>
      {email === undefined ? (
        <div role="status" aria-label={texts.loading} className="flex flex-col gap-3">
          <Skeleton className="h-6 w-52 max-w-full" />
          <Skeleton className="h-5 w-28" />
        </div>
      ) : (
        <>
          <div>
            <p className="break-all">{email}</p>
            <VerifiedState verified={verified === true} />
          </div>
          <p className="text-sm leading-relaxed text-ink-muted text-pretty">
            {verified ? texts.verifiedLead : texts.notVerifiedLead}
          </p>
          {!verified && <ResendVerification />}
        </>
      )}
    </Card>
  );
}

function VerifiedState({ verified }: { verified: boolean }) {
  const Icon = verified ? CircleCheck : CircleDashed;
  return (
    <p
      role="status"
      className={`mt-1.5 flex items-center gap-1.5 text-sm font-medium ${verified ? "text-buy" : "text-wait"}`}
    >
      <Icon aria-hidden className="size-4" />
      {verified ? texts.verified : texts.notVerified}
    </p>
  );
}
