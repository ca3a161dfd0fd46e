import { MESSAGES } from "@shared/contract/constants.ts";
import { formatPrice } from "@shared/contract/price.ts";
import { useQuery } from "@tanstack/react-query";
import * as z from "zod/mini";
import { DataLabel, OutcomeBadge } from "../../../domain/badges.tsx";
import { SignalBadge } from "../../../domain/signal-badge.tsx";
import { formatPlural, formatR, formatRate } from "../../../lib/format.ts";
import { readPublic } from "../../../lib/public-api.ts";
import { LocalTime } from "../../../ui/local-time.tsx";
import { activityQuery, type EndedTrade } from "../activity.ts";

/** The newest trade of the record that its levels decided, won or lost; nothing while there is none. */
export function LatestResult({ className = "" }: { className?: string }) {
  const { data } = useQuery(activityQuery);
  const trade = data?.items.find(({ outcome }) => outcome !== "EXPIRED");
  if (!trade) return null;
  return (
    <div className={`flex flex-col justify-between gap-4 ${className}`}>
      <div className="flex items-center justify-between gap-4">
        <span className="text-sm text-ink-faint">Latest result of our record</span>
        <SignalBadge signal={trade.signal} />
      </div>
      <div>
        <p className="text-2xl font-semibold tracking-tight">
          {trade.symbol} <span className="font-normal text-ink-muted">{trade.timeframe}</span>
        </p>
        <p className="figures text-sm text-ink-faint">
          Ended <LocalTime iso={trade.resolved_at} />
        </p>
        {data?.data === "replay" && (
          <p className="mt-2">
            <DataLabel>{MESSAGES.demoRecord}</DataLabel>
          </p>
        )}
      </div>
      <Levels trade={trade} />
      <p className="figures flex items-center justify-between gap-4 rounded-control bg-canvas px-4 py-3">
        <OutcomeBadge outcome={trade.outcome} />
        <span className="font-semibold">{formatR(trade.r_multiple ?? 0)}</span>
      </p>
      <WinRate isDemo={data?.data === "replay"} />
    </div>
  );
}

function Levels({ trade }: { trade: EndedTrade }) {
  const rows = [
    { label: "Entry", price: trade.entry, tone: "text-accent" },
    { label: "Stop loss", price: trade.stop_loss, tone: "text-sell" },
    { label: "Take profit", price: trade.take_profit, tone: "text-buy" },
  ];
  return (
    <dl className="flex flex-col gap-1.5">
      {rows.map(({ label, price, tone }) => (
        <div key={label} className="flex items-baseline justify-between gap-4">
          <dt className={`text-sm font-medium ${tone}`}>{label}</dt>
          <dd className="figures font-semibold">{formatPrice(price)}</dd>
        </div>
      ))}
    </dl>
  );
}

const rateSchema = z.object({
  trades: z.number(),
  win_rate: z.nullable(z.object({ value: z.number(), low: z.number(), high: z.number() })),
});

const STALE_MS = 60_000;

/** One figure of the whole record, with how far chance may have moved it. */
function WinRate({ isDemo }: { isDemo: boolean }) {
  const path = isDemo ? "/performance?data=replay" : "/performance";
  const { data } = useQuery({
    queryKey: ["win-rate", path],
    queryFn: ({ signal }) => readPublic({ path, schema: rateSchema, signal }),
    staleTime: STALE_MS,
  });
  const rate = data?.win_rate;
  return (
    <p className="figures min-h-10 text-sm text-ink-muted text-pretty">
      {rate && (
        <>
          Win rate of {isDemo ? "the demo record" : "our record"}:{" "}
          <strong className="font-semibold text-ink">{formatRate(rate.value)}</strong> (95% interval{" "}
          {formatRate(rate.low)} to {formatRate(rate.high)}), {formatPlural(data.trades, "trade")}.
        </>
      )}
    </p>
  );
}
