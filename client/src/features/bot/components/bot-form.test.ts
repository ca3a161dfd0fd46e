import { fitPosition } from "@shared/contract/position-size.ts";
import { sizePosition } from "@shared/domain/sizing.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { resize } from "./bot-form.tsx";

const wait = { entry: null, stop_loss: null, take_profit: null };

test("a WAIT and a signal without a size have no position", () => {
  const size = { suggested_units: 0, estimated_dollar_risk: 0 };
  const stake = { amount: 100, riskPercent: 1, leverage: 1 };
  expect(resize({ ...wait, ...size }, stake)).toBeNull();
  expect(resize({ entry: 100, stop_loss: 98, take_profit: 104, ...size }, stake)).toBeNull();
});

const stakes = fc.record({
  amount: fc.double({ min: 1, max: 1e6, noNaN: true }),
  riskPercent: fc.double({ min: 0.1, max: 100, noNaN: true }),
  leverage: fc.integer({ min: 1, max: 125 }),
});

test.each(["BTC/USDT", "USD/JPY", "EUR/USD", "US30"])(
  "a position in %s is the one that the server would size",
  (symbol) => {
    const advice = { entry: 156.2, stop_loss: 154.9, take_profit: 160 };
    fc.assert(
      fc.property(stakes, stakes, (first, next) => {
        const made = sizePosition({ advice, symbol, stake: first });
        const trade = {
          ...advice,
          suggested_units: made.units,
          estimated_dollar_risk: made.dollarRisk,
        };
        const expected = sizePosition({ advice, symbol, stake: next });
        const position = resize(trade, next);
        expect(position?.units).toBeCloseTo(expected.units, 6);
        expect(position?.dollarRisk).toBeCloseTo(expected.dollarRisk, 6);
        expect(position?.requiredMargin).toBeCloseTo(expected.requiredMargin, 6);
      }),
    );
  },
);

test("a position never risks more than was asked for, nor needs more than the amount", () => {
  const value = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(stakes, value, value, (stake, riskPerUnit, pricePerUnit) => {
      const position = fitPosition(stake, { riskPerUnit, pricePerUnit });
      expect(position.dollarRisk).toBeLessThanOrEqual((stake.amount * stake.riskPercent) / 100);
      expect(position.requiredMargin).toBeLessThanOrEqual(stake.amount);
    }),
  );
});
