import { findInstrument } from "@shared/contract/instruments.ts";

export interface DemoInstrument {
  /** Price that the simulation moves around. */
  level: number;
  dailyVolatilityPercent: number;
  decimals: number;
  /** 0 where no venue reports a volume. */
  dailyVolume: number;
}

const USUAL_DECIMALS = 2;

/** Rounded values of late 2025. */
const DEMO_MARKETS: Readonly<Record<string, Omit<DemoInstrument, "decimals">>> = {
  "BTC/USDT": { level: 108_000, dailyVolatilityPercent: 2.2, dailyVolume: 60_000 },
  "ETH/USDT": { level: 3_900, dailyVolatilityPercent: 3.2, dailyVolume: 900_000 },
  "BNB/USDT": { level: 1_080, dailyVolatilityPercent: 2.6, dailyVolume: 120_000 },
  "ADA/USDT": { level: 0.65, dailyVolatilityPercent: 3.9, dailyVolume: 250_000_000 },
  "SOL/USDT": { level: 190, dailyVolatilityPercent: 3.8, dailyVolume: 8_000_000 },
  "XRP/USDT": { level: 2.4, dailyVolatilityPercent: 3.5, dailyVolume: 300_000_000 },
  "LTC/USDT": { level: 95, dailyVolatilityPercent: 3.4, dailyVolume: 3_000_000 },
  "DOGE/USDT": { level: 0.2, dailyVolatilityPercent: 4.2, dailyVolume: 2_000_000_000 },
  "XAUT/USDT": { level: 4_100, dailyVolatilityPercent: 1.1, dailyVolume: 3_000 },
  "XAU/USD": { level: 1_320, dailyVolatilityPercent: 0.8, dailyVolume: 0 },
  "XAG/USD": { level: 15.8, dailyVolatilityPercent: 1.5, dailyVolume: 0 },
  "EUR/USD": { level: 1.15, dailyVolatilityPercent: 0.45, dailyVolume: 0 },
  "GBP/USD": { level: 1.3, dailyVolatilityPercent: 0.55, dailyVolume: 0 },
  "AUD/USD": { level: 0.65, dailyVolatilityPercent: 0.6, dailyVolume: 0 },
  "USD/JPY": { level: 152, dailyVolatilityPercent: 0.6, dailyVolume: 0 },
  US30: { level: 46_700, dailyVolatilityPercent: 0.9, dailyVolume: 0 },
  NAS100: { level: 25_000, dailyVolatilityPercent: 1.3, dailyVolume: 0 },
  SPX500: { level: 6_700, dailyVolatilityPercent: 1, dailyVolume: 0 },
  WTI: { level: 58, dailyVolatilityPercent: 2, dailyVolume: 0 },
  BRENT: { level: 62, dailyVolatilityPercent: 1.9, dailyVolume: 0 },
};

export const DEMO_INSTRUMENTS: Readonly<Record<string, DemoInstrument>> = Object.fromEntries(
  Object.entries(DEMO_MARKETS).map(([symbol, market]) => [
    symbol,
    { ...market, decimals: findInstrument(symbol)?.decimals ?? USUAL_DECIMALS },
  ]),
);
