import type { FollowedQuery, ResultsEmail } from "@shared/contract/followed.ts";
import { useMutation } from "@tanstack/react-query";
import { formatUsd } from "../../lib/format.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { Switch } from "../../ui/fields.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { saveResultsEmail, useResultsEmail } from "./api.ts";

interface MonthlyEmailProps {
  account: Pick<FollowedQuery, "start_balance" | "risk_percent">;
}

/** Turns the monthly email on, which then has the inputs of the page. */
export const MonthlyEmail = ({ account }: MonthlyEmailProps) => (
  <Card id="monthly-email" className="p-5 sm:p-6">
    <QueryView
      query={useResultsEmail()}
      failed="Failed to load the monthly email's setting."
      skeleton={<Skeleton className="h-12" />}
    >
      {(setting) => <Setting setting={setting} account={account} />}
    </QueryView>
  </Card>
);

function Setting({ setting, account }: MonthlyEmailProps & { setting: ResultsEmail }) {
  const save = useMutation({ mutationFn: saveResultsEmail });
  const { start_balance, risk_percent } = account;
  const { monthly, start_balance: balance, risk_percent: risk } = setting;
  return (
    <>
      <div className="flex items-start justify-between gap-6">
        <div>
          <h2 className="text-lg font-semibold tracking-tight">Monthly email</h2>
          <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">
            {monthly
              ? `At the start of each month, you get these results of the last one, for ${formatUsd(balance)} and a risk of ${risk}%, at your verified address.`
              : "Get these results of each month at your verified address, from this month on. A month without a trade has no email."}
          </p>
        </div>
        <Switch
          name="Monthly email"
          checked={monthly}
          disabled={save.isPending}
          onChange={(on) => save.mutate({ monthly: on, start_balance, risk_percent })}
        />
      </div>
      <ErrorAlert message={save.error?.message} />
    </>
  );
}
