import type { BudgetUsage, ModelUsage, Usage, UsagePeriod } from "@shared/contract/usage.ts";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useUsage } from "./admin-queries.ts";
import { AdminSection } from "./admin-section.tsx";
import { LoadError } from "./load-error.tsx";
import { adminTexts, usageTexts as texts } from "./texts.ts";
import { describeBudget, formatCost, formatCount, signalCount } from "./usage-figures.ts";

const PERIODS = ["today", "last_7_days", "last_30_days"] as const;

/** What the analyses cost: signals, tokens and dollars. */
export function UsageSection() {
  const { data, error, isFetching, refetch } = useUsage();
  return (
    <AdminSection id="usage" title={texts.title} lead={texts.lead}>
      {!data && !error && (
        <div role="status" aria-label={adminTexts.loading}>
          <Skeleton className="h-64 rounded-card" />
        </div>
      )}
      {data && <Figures usage={data} />}
      {error && (
        <LoadError
          title={texts.loadFailed}
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
          <Period key={name} title={texts.periods[name]} period={usage[name]} />
        ))}
      </div>
      {unpriced > 0 && <Notice tone="info">{texts.unpriced(signalCount(unpriced))}</Notice>}
      {models.length === 0 ? (
        <p className="text-ink-muted">{texts.empty}</p>
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
      <h3 className="text-sm font-medium text-ink-muted">{texts.budget}</h3>
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
        <Row label={texts.signals} value={period.signals} />
        <Row label={texts.promptTokens} value={period.prompt_tokens} />
        <Row label={texts.completionTokens} value={period.completion_tokens} />
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
/** The cards above have the tokens on small screens, where five columns would not fit. */
const WIDE_ONLY = "max-sm:hidden";

const COLUMNS = [
  { title: texts.signals, show: ({ signals }: ModelUsage) => formatCount(signals), className: "" },
  {
    title: texts.promptTokens,
    show: ({ prompt_tokens }: ModelUsage) => formatCount(prompt_tokens),
    className: WIDE_ONLY,
  },
  {
    title: texts.completionTokens,
    show: ({ completion_tokens }: ModelUsage) => formatCount(completion_tokens),
    className: WIDE_ONLY,
  },
  { title: texts.cost, show: formatCost, className: "" },
] as const;

function Models({ models }: { models: ModelUsage[] }) {
  return (
    <Card className="overflow-hidden">
      <table className="w-full text-sm">
        <caption className={`${CELL} border-b border-line text-left text-ink-muted`}>
          {texts.byModel}
        </caption>
        <thead>
          <tr className="border-b border-line text-ink-faint">
            <th scope="col" className={`${CELL} text-left font-medium`}>
              {texts.model}
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
