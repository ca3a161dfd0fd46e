import { BadgeCheck, Bot, Clock, History, Tags } from "lucide-react";
import { Link } from "react-router-dom";
import { buttonClass } from "../../ui/button-class.ts";
import { Card } from "../../ui/card.tsx";
import { PaymentProof } from "./payment-proof.tsx";
import { dashboardTexts as texts } from "./texts.ts";

/** What is open to an approved user. */
export function ApprovedCard() {
  return (
    <Card className="flex animate-enter flex-col gap-6 p-6 sm:p-8">
      <div className="flex gap-4">
        <BadgeCheck aria-hidden className="size-8 shrink-0 text-buy" strokeWidth={1.75} />
        <div>
          <h2 className="text-xl font-semibold tracking-tight">{texts.approvedTitle}</h2>
          <p className="mt-1 text-ink-muted">{texts.approved}</p>
        </div>
      </div>
      <div className="flex flex-col gap-3 sm:flex-row">
        <Link to="/bot" className={buttonClass({ size: "lg" })}>
          <Bot aria-hidden className="size-5" />
          {texts.openBot}
        </Link>
        <Link to="/signal-history" className={buttonClass({ variant: "secondary", size: "lg" })}>
          <History aria-hidden className="size-5" />
          {texts.openHistory}
        </Link>
      </div>
    </Card>
  );
}

/** What a user can do to become approved. */
export function PendingCard() {
  return (
    <Card className="animate-enter">
      <div className="flex gap-4 p-6 sm:p-8">
        <Clock aria-hidden className="size-8 shrink-0 text-wait" strokeWidth={1.75} />
        <div className="flex flex-col items-start gap-4">
          <div>
            <h2 className="text-xl font-semibold tracking-tight">{texts.pendingTitle}</h2>
            <p className="mt-1 text-ink-muted text-pretty">{texts.pending}</p>
          </div>
          <Link to="/pricing" className={buttonClass({ variant: "secondary" })}>
            <Tags aria-hidden className="size-4" />
            {texts.toPricing}
          </Link>
        </div>
      </div>
      <div className="border-t border-line p-6 sm:p-8">
        <PaymentProof />
      </div>
    </Card>
  );
}
