import { formatChange, formatPrice, formatRatio } from "../../lib/format.ts";
import { distancePercent, rewardToRisk, type TradeLevels } from "../../lib/trade-levels.ts";
import { resultTexts as texts } from "./texts.ts";

interface ResultLevelsProps {
  levels: TradeLevels;
  /** The market's price when the signal was made. */
  lastPrice: number | null;
}

/** The three prices of the trade, how far apart they are, and what the trade pays for its risk. */
export function ResultLevels({ levels, lastPrice }: ResultLevelsProps) {
  const { entry, stopLoss, takeProfit } = levels;
  const entryNote =
    lastPrice === null
      ? ""
      : `${formatChange(distancePercent(lastPrice, entry))} ${texts.fromPrice}`;
  return (
    <section className="flex flex-col gap-4">
      <dl className="grid gap-3 sm:grid-cols-3">
        <Level label={texts.entry} price={entry} note={entryNote} tone="text-accent" />
        <Level
          label={texts.stopLoss}
          price={stopLoss}
          note={formatChange(distancePercent(entry, stopLoss))}
          tone="text-sell"
        />
        <Level
          label={texts.takeProfit}
          price={takeProfit}
          note={formatChange(distancePercent(entry, takeProfit))}
          tone="text-buy"
        />
      </dl>
      <RiskBar levels={levels} />
    </section>
  );
}

interface LevelProps {
  label: string;
  price: number;
  note: string;
  tone: string;
}

function Level({ label, price, note, tone }: LevelProps) {
  return (
    <div className="flex items-baseline justify-between gap-3 rounded-control border border-line bg-canvas px-4 py-3.5 sm:block">
      <dt className={`text-sm font-medium ${tone}`}>{label}</dt>
      <dd className="text-right sm:mt-1.5 sm:text-left">
        <span className="figures block text-lg font-semibold tracking-tight lg:text-xl">
          {formatPrice(price)}
        </span>
        <span className="figures block text-sm text-ink-faint">{note}</span>
      </dd>
    </div>
  );
}

/** Risk and reward to scale, beside each other. */
function RiskBar({ levels }: { levels: TradeLevels }) {
  const ratio = rewardToRisk(levels);
  if (ratio === null) return null;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-baseline justify-between text-sm">
        <span className="text-ink-muted">{texts.rewardToRisk}</span>
        <span className="figures font-medium">{formatRatio(ratio)}</span>
      </div>
      <div aria-hidden className="flex h-2 gap-0.5 overflow-hidden rounded-full">
        <div className="bg-sell" style={{ flexGrow: 1 }} />
        <div className="bg-buy" style={{ flexGrow: ratio }} />
      </div>
    </div>
  );
}
