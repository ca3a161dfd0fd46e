import type { BudgetUsage, ModelUsage, Usage, UsagePeriod } from "@shared/contract/admin.ts";
import { BUDGET_PERCENTS } from "@shared/contract/constants.ts";
import { Fragment } from "react";
import { formatCount, formatDollars, formatUsd } from "../../lib/format.ts";
import { Alert } from "../../ui/alert.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { QueryView } from "../../ui/load-states.tsx";
import { type Column, NumberTable } from "../../ui/table.tsx";
import { AdminSection } from "./admin-section.tsx";
import { useUsage } from "./api.ts";

export function UsageSection() {
  return (
    <AdminSection
      id="usage"
      title="AI usage"
      lead="Analyses, tokens and cost. One analysis serves all who ask for its market and candle. Days are in UTC."
    >
      <QueryView
        query={useUsage()}
        failed="Failed to load AI usage."
        saysWhenStale
        skeleton={<Skeleton className="h-64 rounded-card" />}
      >
        {(usage) => <UsageCards usage={usage} />}
      </QueryView>
    </AdminSection>
  );
}

function UsageCards({ usage }: { usage: Usage }) {
  const { by_model: models, unpriced_signals: unpriced } = usage.last_30_days;
  return (
    <>
      {usage.budget && <Budget budget={usage.budget} />}
      <div className="grid gap-4 md:grid-cols-3">
        <Period title="Today" period={usage.today} />
        <Period title="Last 7 days" period={usage.last_7_days} />
        <Period title="Last 30 days" period={usage.last_30_days} />
      </div>
      {unpriced > 0 && (
        <Alert tone="info">
          The cost of {formatCount(unpriced)} {unpriced === 1 ? "analysis" : "analyses"} is unknown.
          Set OPENAI_PRICE_PROMPT and OPENAI_PRICE_COMPLETION to the model's prices.
        </Alert>
      )}
      {models.length === 0 ? (
        <p className="text-ink-muted">No analyses in the last 30 days.</p>
      ) : (
        <NumberTable
          caption="By model, last 30 days"
          columns={modelColumns}
          rows={models}
          keyOf={({ model }) => model}
        />
      )}
      <UserTable {...usage.analyses_today} />
    </>
  );
}

const budgetTones = { left: "text-ink-muted", low: "text-wait", "used-up": "text-danger" } as const;

function Budget({ budget }: { budget: BudgetUsage }) {
  const { amount, text, level } = describeBudget(budget);
  return (
    <Card className="px-4 py-4 sm:px-5">
      <h3 className="text-sm font-medium text-ink-muted">Budget today</h3>
      <p className="figures mt-1 text-2xl font-semibold tracking-tight">{amount}</p>
      <p className={`mt-1 text-sm ${budgetTones[level]}`}>{text}</p>
    </Card>
  );
}

function Period({ title, period }: { title: string; period: UsagePeriod }) {
  const counts = [
    ["Analyses", period.signals],
    ["Tokens in", period.prompt_tokens],
    ["Tokens out", period.completion_tokens],
  ] as const;
  return (
    <Card className="px-4 py-4 sm:px-5">
      <h3 className="text-sm font-medium text-ink-muted">{title}</h3>
      <p className="figures mt-1 text-2xl font-semibold tracking-tight">{formatCost(period)}</p>
      <dl className="mt-4 grid grid-cols-[1fr_auto] gap-y-1.5 border-t border-line pt-3 text-sm">
        {counts.map(([label, count]) => (
          <Fragment key={label}>
            <dt className="text-ink-muted">{label}</dt>
            <dd className="figures text-right">{formatCount(count)}</dd>
          </Fragment>
        ))}
      </dl>
    </Card>
  );
}

/** The cards above show the tokens on small screens. */
const modelColumns: readonly [Column<ModelUsage>, ...Column<ModelUsage>[]] = [
  { name: "Model", value: ({ model }) => model },
  { name: "Analyses", value: ({ signals }) => formatCount(signals) },
  { name: "Tokens in", isWide: true, value: (usage) => formatCount(usage.prompt_tokens) },
  { name: "Tokens out", isWide: true, value: (usage) => formatCount(usage.completion_tokens) },
  { name: "Cost", value: formatCost },
];

function UserTable({ limit, users }: Usage["analyses_today"]) {
  if (users.length === 0) return null;
  const limitText = limit === null ? "No limit." : `Limit: ${formatCount(limit)} for each user.`;
  return (
    <NumberTable
      caption={`By user, today. ${limitText}`}
      columns={[
        { name: "User", value: ({ username }) => username },
        {
          name: "AI analyses",
          tone: ({ analyses }) => limit !== null && analyses >= limit && "text-danger",
          value: ({ analyses }) =>
            formatCount(analyses) + (limit === null ? "" : ` of ${formatCount(limit)}`),
        },
      ]}
      rows={users}
      keyOf={({ username }) => username}
    />
  );
}

export function formatCost(usage: Pick<ModelUsage, "signals" | "cost_usd">): string {
  if (usage.cost_usd !== null) return formatDollars(usage.cost_usd);
  return usage.signals === 0 ? formatUsd(0) : "Unknown";
}

/** Describes today's spending. Percentages are rounded down, so that 100% means used up. */
export function describeBudget({ spent_usd: spent, budget_usd: budget }: BudgetUsage) {
  const [low, usedUp] = BUDGET_PERCENTS;
  // Without rounding, floating point makes 1.15 of 5 to 22%.
  const percent = Math.floor(Number(((100 * spent) / budget).toFixed(6)));
  const amount = `${formatDollars(spent)} of ${formatDollars(budget)}`;
  if (percent >= usedUp) {
    const text = "Used up. Requests that need a new analysis fail until 00:00 UTC.";
    return { amount, text, level: "used-up" } as const;
  }
  if (percent >= low) {
    const text = `${percent}% spent. Scheduled analyses have stopped until 00:00 UTC.`;
    return { amount, text, level: "low" } as const;
  }
  return { amount, text: `${percent}% spent. Resets at 00:00 UTC.`, level: "left" } as const;
}
