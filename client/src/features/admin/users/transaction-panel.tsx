import type { AdminPaymentProof } from "@shared/contract/account.ts";
import { type TransactionCheck, transactionCheckSchema } from "@shared/contract/payment.ts";
import { useQuery } from "@tanstack/react-query";
import { Check, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { api } from "../../../lib/api/client.ts";
import { formatCount } from "../../../lib/format.ts";
import { Button } from "../../../ui/button.tsx";
import { Skeleton } from "../../../ui/card.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { QueryView } from "../../../ui/load-states.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";

import { VerificationNote } from "./verification-note.tsx";

interface TransactionPanelProps {
  username: string;
  proof: AdminPaymentProof;
}

/** What the blockchain says about the transaction that a proof names; nothing for other proofs. */
export function TransactionPanel({ username, proof }: TransactionPanelProps) {
  const { transaction_hash: hash } = proof;
  const query = useQuery({
    queryKey: ["transaction", username, proof.filename],
    queryFn: ({ signal }) =>
      api({
        path: "/admin/payments/:username/transaction",
        params: { username },
        schema: transactionCheckSchema,
        signal,
      }),
    enabled: hash !== undefined,
  });
  if (hash === undefined) return null;
  return (
    <section aria-label="Transaction" className="flex flex-col gap-2 text-sm">
      <header className="flex items-center justify-between gap-2">
        <h3 className="min-w-0">
          <span className="text-xs text-ink-faint">
            Transaction{query.data?.network && ` on ${query.data.network}`}
          </span>
          <span title={hash} className="figures block truncate font-medium">
            {hash}
          </span>
        </h3>
        <CopyButton text={hash} name="the transaction hash" />
      </header>
      {proof.verification && <VerificationNote username={username} {...proof.verification} />}
      <QueryView
        query={query}
        failed="Failed to look up the transaction."
        skeleton={<Skeleton className="h-20" />}
      >
        {(check) => (
          <ul className="flex flex-col gap-1.5">
            <Findings check={check} />
            {check.used_by.map((use) => (
              <Finding key={use.username + use.submitted_at} isWarning>
                Also used in the proof of{" "}
                {use.username === username ? "the same user" : use.username},{" "}
                <LocalTime iso={use.submitted_at} />
              </Finding>
            ))}
            {check.status !== "not-configured" && (
              <li>
                <Button
                  variant="secondary"
                  size="sm"
                  busy={query.isFetching}
                  onClick={() => void query.refetch()}
                >
                  Look up again
                </Button>
              </li>
            )}
          </ul>
        )}
      </QueryView>
    </section>
  );
}

function Findings({ check }: { check: TransactionCheck }) {
  if (check.status !== "found") return <Finding isWarning>{whyNot(check)}</Finding>;
  const { succeeded, transfer, confirmations } = check;
  return (
    <>
      {succeeded ? (
        <TransferFindings transfer={transfer} />
      ) : (
        <Finding isWarning>The transaction failed, so nothing was paid.</Finding>
      )}
      <Finding>
        {formatCount(confirmations)} {confirmations === 1 ? "confirmation" : "confirmations"}, sent{" "}
        <LocalTime iso={check.sent_at} />
      </Finding>
    </>
  );
}

function whyNot({ status, network = "" }: Pick<TransactionCheck, "status" | "network">): string {
  if (status === "not-configured") return "This can't be looked up: no wallet is configured.";
  if (status === "unreachable") {
    return `The service that looks up transactions on ${network} is not responding. Check the payment yourself, or try again.`;
  }
  return `No such transaction on ${network}. A new one can take a few minutes to appear.`;
}

function TransferFindings({
  transfer,
}: {
  transfer: Extract<TransactionCheck, { status: "found" }>["transfer"];
}) {
  if (!transfer) return <Finding isWarning>No token was transferred.</Finding>;
  const { amount, token, is_usdt: isUsdt, is_recipient_ours: isOurs, recipient } = transfer;
  return (
    <>
      <Finding isWarning={!isUsdt}>
        {isUsdt ? `${amount} USDT` : `Not USDT, but the token ${token}`}
      </Finding>
      <Finding isWarning={!isOurs}>
        {isOurs ? "To your address" : `Not to your address, but to ${recipient}`}
      </Finding>
    </>
  );
}

function Finding({ isWarning = false, children }: { isWarning?: boolean; children: ReactNode }) {
  const Icon = isWarning ? TriangleAlert : Check;
  return (
    <li className={`flex items-start gap-1.5 ${isWarning ? "text-wait" : ""}`}>
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${isWarning ? "" : "text-ink-faint"}`} />
      <p className="min-w-0 wrap-anywhere">{children}</p>
    </li>
  );
}
