import { HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import type { LedgerFigures } from "@shared/contract/ledger.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { makeLedger } from "@shared/testing/ledger-factory.ts";
import { type Bar, bars } from "@shared/testing/made-market.ts";
import { describe, expect, it } from "vitest";
import { candleFilesSource, resolveAgain } from "./resolve-again.ts";
import { expireWithoutData } from "./resolve-trade.ts";
import { tradeOfFigures } from "./simulate-trade.ts";

const OPENED = Date.UTC(2025, 0, 31);
const CALM: Bar = [100, 100.5, 99.5, 100];
const symbol = "BTC/USDT";
const costs = DEFAULT_TRADING_COSTS.crypto;

/** A BUY at the market, made in the first second of an hour. */
const figures = figuresAt({ price: 100 });

function figuresAt(overrides: Partial<LedgerFigures>): LedgerFigures {
  const [entry] = makeLedger([{ kind: "analysis", revealed: true, figures: overrides }]);
  if (!entry?.reveal) throw new Error("nothing was revealed");
  return entry.reveal.figures;
}

function expired(filled?: { price: number; at: Date }) {
  const trade = tradeOfFigures(figures);
  if (!trade) throw new Error("it is no trade");
  return expireWithoutData({ trade, filled, costs });
}

const sourceOf = (files: { hours?: Candle[]; minutes?: Candle[] }) =>
  candleFilesSource([
    ...(files.hours ? [{ symbol, timeframe: "1h" as const, candles: files.hours }] : []),
    ...(files.minutes ? [{ symbol, timeframe: "1m" as const, candles: files.minutes }] : []),
  ]);

describe("a trade whose market gave no candle after it", () => {
  const before = bars([CALM, CALM], { from: OPENED - 2 * HOUR_MS });
  const minutes = bars([CALM, [100.2, 100.3, 100.1, 100.2], CALM], {
    timeframe: "1m",
    from: OPENED,
  });
  const filled = { price: 100.2, at: new Date(OPENED + MINUTE_MS) };

  it("agrees by candles that end before it", async () => {
    const recorded = { seq: 2, figures, resolution: expired() };
    expect(await resolveAgain(recorded, sourceOf({ hours: before }))).toEqual({ result: "agrees" });
  });

  it("agrees with a fill that only its minutes show", async () => {
    const resolution = expired(filled);
    expect(resolution).toMatchObject({ fill: 100.2, exit: 100 });
    const again = await resolveAgain({ seq: 2, figures, resolution }, sourceOf({ minutes }));
    expect(again).toEqual({ result: "agrees" });
  });

  it("is not checked without the minutes of its fill", async () => {
    const recorded = { seq: 2, figures, resolution: expired(filled) };
    const again = await resolveAgain(recorded, sourceOf({ hours: before }));
    expect(again).toEqual({ result: "needs-finer-candles" });
  });

  it("differs from a fill that its minutes do not show", async () => {
    const resolution = expired({ ...filled, price: 99 });
    const again = await resolveAgain({ seq: 2, figures, resolution }, sourceOf({ minutes }));
    const fields = [{ name: "fill", recorded: "99", resolved: "100.2" }, { name: "r_multiple" }];
    expect(again).toMatchObject({ result: "differs", fields });
  });
});
