import { INSTRUMENT_CLASSES } from "@shared/contract/instruments.ts";
import { DEFAULT_TRADING_COSTS, roundTripPercent, tradeCost } from "@shared/contract/resolution.ts";
import { describe, expect, it } from "vitest";
import { loadSettings, SettingsError } from "./settings.ts";

const load = (environment: Record<string, string>) =>
  loadSettings({
    JWT_SECRET: "a test secret of more than 32 characters",
    ADMIN_PASSWORD: "correct horse",
    ...environment,
  });

describe("trading costs", () => {
  it("are the spread once and the commission twice, at the price of each side", () => {
    const costs = { spread_percent: 0.02, commission_percent: 0.04 };
    expect(roundTripPercent(costs)).toBeCloseTo(0.1, 12);
    expect(tradeCost({ fill: 100, exit: 100 }, costs)).toBeCloseTo(0.1, 12);
    expect(tradeCost({ fill: 100, exit: 300 }, costs)).toBeCloseTo(0.2, 12);
  });

  it("have defaults for each class", () => {
    expect(load({}).TRADING_COSTS).toEqual(DEFAULT_TRADING_COSTS);
  });

  it.each(INSTRUMENT_CLASSES)("of %s can be set, without changing the others", (name) => {
    const settings = load({ [`TRADING_COSTS_${name.toUpperCase()}`]: " 0.3, 0.25 " });
    expect(settings.TRADING_COSTS).toEqual({
      ...DEFAULT_TRADING_COSTS,
      [name]: { spread_percent: 0.3, commission_percent: 0.25 },
    });
  });

  it.each(["0.1", "0.1,", "-0.1,0", "0.1;0.2", "0,5.1", "1e-2,0", "a,b", "0.1,0.1,0.1", "1%,1%"])(
    "refuse %j in one line that names the setting",
    (text) => {
      expect(() => load({ TRADING_COSTS_METAL: text })).toThrow(
        new SettingsError(
          "TRADING_COSTS_METAL: must be spread,commission in percent, each from 0 to 5, such as 0.01,0.05",
        ),
      );
    },
  );
});
