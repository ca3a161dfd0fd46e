import { findInstrument } from "@shared/contract/instruments.ts";

/** Brokers trade hundredths of a lot; smaller sizes show two significant digits. */
const lots = new Intl.NumberFormat("en-US", {
  maximumFractionDigits: 2,
  maximumSignificantDigits: 2,
  roundingPriority: "morePrecision",
});

/** The smallest order of most brokers, in lots, and of most exchanges, in USD. */
const SMALLEST_LOTS = 0.01;
const SMALLEST_USD = 5;

interface ContractSizeNoteProps {
  symbol: string;
  units: number;
  entry: number;
}

/** What a unit is, in lots where brokers use them, and whether the order is smaller than they accept. */
export function ContractSizeNote({ symbol, units, entry }: ContractSizeNoteProps) {
  const instrument = findInstrument(symbol);
  if (!instrument || instrument.class === "crypto") {
    const isDollars = symbol.includes("/USD");
    const isTooSmall = isDollars && units > 0 && units * entry < SMALLEST_USD;
    return isTooSmall ? (
      <SmallOrder text={`Exchanges usually accept orders from ${SMALLEST_USD} USD.`} />
    ) : null;
  }
  const { unit, lotUnits, contract } = instrument;
  const isTooSmall = lotUnits !== undefined && units > 0 && units < lotUnits * SMALLEST_LOTS;
  const inLots =
    lotUnits && units > 0 ? `\u2248 ${lots.format(units / lotUnits)} standard lots.` : "";
  return (
    <>
      <p className="figures text-sm text-ink-faint">
        {[inLots, `One unit is ${unit}.`, contract].filter(Boolean).join(" ")}
      </p>
      {isTooSmall && (
        <SmallOrder text={`Brokers usually accept orders from ${SMALLEST_LOTS} lots.`} />
      )}
    </>
  );
}

const SmallOrder = ({ text }: { text: string }) => (
  <p className="text-sm text-wait">This position is smaller than the smallest order. {text}</p>
);
