import { planById } from "@shared/contract/plans.ts";
import type { BillingPeriod } from "@shared/contract/subscription.ts";
import { formatDay, formatPlural } from "../../../lib/format.ts";
import { ImageDialog } from "../../../ui/image-dialog.tsx";
import { formatFee } from "./subscription-terms.tsx";
import { readAgain } from "./user-proof.tsx";

/** Payments for a subscription, with their proofs. */
export const BillingPeriods = ({ periods }: { periods: readonly BillingPeriod[] }) => (
  <ul className="divide-y divide-line rounded-control border border-line text-sm">
    {periods.map(({ plan, months, price_usd, started_at, ends_at, revoked_at, proof }) => (
      <li key={started_at} className="flex items-center gap-3 px-3 py-2">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap justify-between gap-x-3 font-medium">
            <span>
              {planById(plan).name}, {formatPlural(months, "month")}
            </span>
            <span className="figures">{formatFee(price_usd)}</span>
          </p>
          <p className="figures text-xs text-ink-muted">
            {formatDay(started_at)} – {formatDay(ends_at)}
            {revoked_at && <span className="text-wait"> · Revoked {formatDay(revoked_at)}</span>}
          </p>
          <p className="text-xs break-words text-ink-muted">
            {proof ? `Proof from ${proof.sender_name}` : "No proof"}
          </p>
        </div>
        {proof && (
          <ImageDialog
            src={proof.url}
            title={`Proof from ${proof.sender_name}, ${formatDay(proof.submitted_at)}`}
            onExpired={readAgain}
            className="size-10"
          />
        )}
      </li>
    ))}
  </ul>
);
