import { findInstrument } from "@shared/contract/instruments.ts";

/** Brokers trade hundredths of a lot; less than that reads with its first two digits. */
const lots = new Intl.NumberFormat("en-US", {
  maximumFractionDigits: 2,
  maximumSignificantDigits: 2,
  roundingPriority: "morePrecision",
});

const texts = {
  unit: (unit: string) => `One unit is ${unit}.`,
  lots: (count: string) => `\u2248 ${count} standard lots.`,
} as const;

/** What a unit of the position is, and what it comes to in the lots that brokers count in. */
export function ContractNote({ symbol, units }: { symbol: string; units: number }) {
  const instrument = findInstrument(symbol);
  if (!instrument || instrument.class === "crypto") return null;
  const { unit, lotUnits, contract } = instrument;
  const inLots = lotUnits && units > 0 ? texts.lots(lots.format(units / lotUnits)) : "";
  return (
    <p className="figures text-sm text-ink-faint">
      {[inLots, texts.unit(unit), contract].filter(Boolean).join(" ")}
    </p>
  );
}
