import {
  type FittedPosition,
  fitPosition,
  type SizingInput,
} from "@shared/contract/position-size.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import { formatUnits, formatUsd } from "../../../lib/format.ts";
import { shownSignal, stakeOf, useBot } from "../bot-store.ts";
import { useSignal } from "../hooks/use-signal.ts";
import { tradeLevels } from "../levels.ts";
import { unitName } from "../symbols.ts";

/** What the numbers of the form mean: the risk in dollars, and the position for the trade that is shown. */
export function SizingEffect() {
  const stake = stakeOf(useBot(({ inputs }) => inputs));
  const { data: signal } = useSignal(useBot((bot) => shownSignal(bot)?.id ?? null));
  const position = signal?.analysis ? resize(signal.analysis, stake) : null;
  const { amount, riskPercent, leverage } = stake;
  const risk = position?.dollarRisk ?? (amount * riskPercent) / 100;
  return (
    <div role="status">
      <dl className="figures flex justify-between gap-3 rounded-control bg-canvas px-3 py-2 text-sm">
        <Fact
          label={position?.reducedFrom ? "Risk, reduced" : "Risk at the stop"}
          value={formatUsd(risk)}
        />
        {signal && position ? (
          <>
            <Fact
              label="Size"
              value={`${formatUnits(round(position.units))} ${unitName(signal.symbol)}`}
            />
            <Fact label="Margin" value={formatUsd(position.requiredMargin)} />
          </>
        ) : (
          <Fact label="Largest position" value={formatUsd(amount * leverage)} />
        )}
      </dl>
    </div>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-ink-faint">{label}</dt>
      <dd className="font-medium">{value}</dd>
    </div>
  );
}

const SIZE_DIGITS = 5;
const round = (units: number) => Number(units.toPrecision(SIZE_DIGITS));

type SizedTrade = Pick<
  Analysis,
  "entry" | "stop_loss" | "take_profit" | "suggested_units" | "estimated_dollar_risk"
>;

/** The trade with another amount, risk or leverage. What a unit is worth follows from the server's own sizing. */
export function resize(trade: SizedTrade, stake: SizingInput): FittedPosition | null {
  const levels = tradeLevels(trade);
  if (!levels || trade.suggested_units === 0) return null;
  const riskPerUnit = trade.estimated_dollar_risk / trade.suggested_units;
  const usdPerQuote = riskPerUnit / Math.abs(levels.entry - levels.stopLoss);
  return fitPosition(stake, { riskPerUnit, pricePerUnit: levels.entry * usdPerQuote });
}
