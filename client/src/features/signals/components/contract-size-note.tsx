import { findInstrument } from "@shared/contract/instruments.ts";

/** Brokers trade hundredths of a lot; smaller sizes show two significant digits. */
const lots = new Intl.NumberFormat("en-US", {
  maximumFractionDigits: 2,
  maximumSignificantDigits: 2,
  roundingPriority: "morePrecision",
});

export function ContractSizeNote({ symbol, units }: { symbol: string; units: number }) {
  const instrument = findInstrument(symbol);
  if (!instrument || instrument.class === "crypto") return null;
  const { unit, lotUnits, contract } = instrument;
  const inLots =
    lotUnits && units > 0 ? `\u2248 ${lots.format(units / lotUnits)} standard lots.` : "";
  return (
    <p className="figures text-sm text-ink-faint">
      {[inLots, `One unit is ${unit}.`, contract].filter(Boolean).join(" ")}
    </p>
  );
}
