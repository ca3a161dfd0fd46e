import type { BudgetUsage, ModelUsage, Usage, UsagePeriod } from "@shared/contract/admin.ts";
import { BUDGET_PERCENTS } from "@shared/contract/constants.ts";
import { formatCount, formatPlural } from "../../lib/format.ts";
import { Alert } from "../../ui/alert.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { AdminSection, LoadError } from "./admin-section.tsx";
import { useUsage } from "./api.ts";

const periodLabels = {
  today: "Today",
  last_7_days: "Last 7 days",
  last_30_days: "Last 30 days",
} as const;

const PERIODS = ["today", "last_7_days", "last_30_days"] as const;

export function UsageSection() {
  const { data, error, isFetching, refetch } = useUsage();
  return (
    <AdminSection id="usage" title="AI usage" lead="Signals, tokens and cost. Days are in UTC.">
      {!data && !error && (
        <div role="status" aria-label="Loading">
          <Skeleton className="h-64 rounded-card" />
        </div>
      )}
      {data && <Figures usage={data} />}
      {error && (
        <LoadError
          title="Failed to load AI usage."
          error={error}
          busy={isFetching}
          onAgain={() => void refetch()}
        />
      )}
    </AdminSection>
  );
}

function Figures({ usage }: { usage: Usage }) {
  const { by_model: models, unpriced_signals: unpriced } = usage.last_30_days;
  return (
    <>
      {usage.budget && <Budget budget={usage.budget} />}
      <div className="grid gap-4 md:grid-cols-3">
        {PERIODS.map((name) => (
          <Period key={name} title={periodLabels[name]} period={usage[name]} />
        ))}
      </div>
      {unpriced > 0 && (
        <Alert tone="info">
          The cost of {formatPlural(unpriced, "signal")} is unknown. Set OPENAI_PRICE_PROMPT and
          OPENAI_PRICE_COMPLETION to the model's prices.
        </Alert>
      )}
      {models.length === 0 ? (
        <p className="text-ink-muted">No signals in the last 30 days.</p>
      ) : (
        <Models models={models} />
      )}
    </>
  );
}

const BUDGET_TONES = {
  left: "text-ink-muted",
  low: "text-wait",
  "used-up": "text-danger",
} as const;

function Budget({ budget }: { budget: BudgetUsage }) {
  const { amount, text, level } = describeBudget(budget);
  return (
    <Card className="px-4 py-4 sm:px-5">
      <h3 className="text-sm font-medium text-ink-muted">Budget today</h3>
      <p className="figures mt-1 text-2xl font-semibold tracking-tight">{amount}</p>
      <p className={`mt-1 text-sm ${BUDGET_TONES[level]}`}>{text}</p>
    </Card>
  );
}

function Period({ title, period }: { title: string; period: UsagePeriod }) {
  return (
    <Card className="px-4 py-4 sm:px-5">
      <h3 className="text-sm font-medium text-ink-muted">{title}</h3>
      <p className="figures mt-1 text-2xl font-semibold tracking-tight">{formatCost(period)}</p>
      <dl className="mt-4 grid grid-cols-[1fr_auto] gap-y-1.5 border-t border-line pt-3 text-sm">
        <Row label="Signals" value={period.signals} />
        <Row label="Tokens in" value={period.prompt_tokens} />
        <Row label="Tokens out" value={period.completion_tokens} />
      </dl>
    </Card>
  );
}

function Row({ label, value }: { label: string; value: number }) {
  return (
    <>
      <dt className="text-ink-muted">{label}</dt>
      <dd className="figures text-right">{formatCount(value)}</dd>
    </>
  );
}

const CELL = "px-4 py-3 sm:px-5";
const FIGURE = `${CELL} figures text-right whitespace-nowrap`;
/** The cards above show the tokens on small screens, where five columns do not fit. */
const WIDE_ONLY = "max-sm:hidden";

const COLUMNS = [
  { title: "Signals", show: ({ signals }: ModelUsage) => formatCount(signals), className: "" },
  {
    title: "Tokens in",
    show: ({ prompt_tokens }: ModelUsage) => formatCount(prompt_tokens),
    className: WIDE_ONLY,
  },
  {
    title: "Tokens out",
    show: ({ completion_tokens }: ModelUsage) => formatCount(completion_tokens),
    className: WIDE_ONLY,
  },
  { title: "Cost", show: formatCost, className: "" },
] as const;

function Models({ models }: { models: ModelUsage[] }) {
  return (
    <Card className="overflow-hidden">
      <table className="w-full text-sm">
        <caption className={`${CELL} border-b border-line text-left text-ink-muted`}>
          By model, last 30 days
        </caption>
        <thead>
          <tr className="border-b border-line text-ink-faint">
            <th scope="col" className={`${CELL} text-left font-medium`}>
              Model
            </th>
            {COLUMNS.map(({ title, className }) => (
              <th key={title} scope="col" className={`${CELL} text-right font-medium ${className}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {models.map((usage) => (
            <tr key={usage.model}>
              <th scope="row" className={`${CELL} text-left font-medium break-all`}>
                {usage.model}
              </th>
              {COLUMNS.map(({ title, show, className }) => (
                <td key={title} className={`${FIGURE} ${className}`}>
                  {show(usage)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

/** Below this many US dollars, cents are too coarse. */
const SMALL_USD = 0.1;

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const smallDollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 4,
});

/** Formats a cost, e.g. `$12.30` or `$0.0041`. */
export function formatCost({
  signals,
  cost_usd: cost,
}: Pick<ModelUsage, "signals" | "cost_usd">): string {
  if (cost === null) return signals === 0 ? dollars.format(0) : "Unknown";
  return formatDollars(cost);
}

const formatDollars = (usd: number): string =>
  (usd > 0 && usd < SMALL_USD ? smallDollars : dollars).format(usd);

interface BudgetState {
  amount: string;
  text: string;
  level: "left" | "low" | "used-up";
}

/** Describes today's spending. Percentages are rounded down, so that 100% means used up. */
export function describeBudget({ spent_usd: spent, budget_usd: budget }: BudgetUsage): BudgetState {
  const [low, usedUp] = BUDGET_PERCENTS;
  // Without rounding, floating point makes 1.15 of 5 to 22%.
  const percent = Math.floor(Number(((100 * spent) / budget).toFixed(6)));
  const amount = `${formatDollars(spent)} of ${formatDollars(budget)}`;
  if (percent >= usedUp)
    return {
      amount,
      text: "Used up. Requests that need a new analysis fail until 00:00 UTC.",
      level: "used-up",
    };
  if (percent >= low)
    return {
      amount,
      text: `${percent}% spent. Scheduled analyses have stopped until 00:00 UTC.`,
      level: "low",
    };
  return { amount, text: `${percent}% spent. Resets at 00:00 UTC.`, level: "left" };
}
