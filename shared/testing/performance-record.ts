import type { Performance } from "@shared/contract/performance.ts";

export const noRates = { win_rate: null, no_edge_rate: null, lift: null };

/** A figure with its interval. */
export const around = (value: number, margin: number) => ({
  value,
  low: value - margin,
  high: value + margin,
});

/** A record of 200 decided signals that win somewhat more often than by chance. */
export const record: Performance = {
  since: null,
  updated_at: "2026-11-20T12:00:00.000Z",
  model: null,
  counts: {
    decided: 200,
    wins: 90,
    losses: 110,
    expired: 7,
    not_filled: 5,
    waits: 60,
    failed: 2,
    pending: 3,
  },
  win_rate: around(0.45, 0.07),
  no_edge_rate: 0.36,
  lift: around(0.09, 0.066),
  break_even_edge: 0.011,
  edge_bounds: { low: 0.013, high: 0.167 },
  more_trades_to_know: 0,
  baseline_brier: 0.229,
  brier_skill: around(-0.354, 0.21),
  trades: 207,
  effective_trades: 141,
  expectancy_r: around(0.21, 0.17),
  profit_factor: 1.38,
  max_drawdown_r: 11.4,
  total_r: 43.47,
  equity: [
    { at: "2026-08-01T10:00:00.000Z", r: -1 },
    { at: "2026-09-11T10:00:00.000Z", r: 22.5 },
    { at: "2026-11-19T10:00:00.000Z", r: 43.47 },
  ],
  confidence: {
    decided: 200,
    brier: 0.31,
    baseline_brier: 0.229,
    brier_skill: around(-0.354, 0.21),
    ece: 0.28,
    buckets: [
      { from: 60, to: 70, decided: 20, wins: 6, stated: 0.65, won: 0.3, ...noRates },
      {
        from: 70,
        to: 80,
        decided: 180,
        wins: 84,
        stated: 0.75,
        won: 0.467,
        win_rate: around(0.467, 0.07),
        no_edge_rate: 0.36,
        lift: around(0.107, 0.07),
      },
    ],
  },
  calibrated: {
    decided: 0,
    brier: null,
    baseline_brier: null,
    brier_skill: null,
    ece: null,
    buckets: [],
  },
  waits: {
    judged: 52,
    not_filled: 1,
    total_r: -3.12,
    expectancy_r: around(-0.06, 0.34),
    lift: around(-0.01, 0.13),
  },
  prompt_tokens: 3_100,
  completion_tokens: 620,
  cost_usd: 0.0042,
  latency_ms: 8_400,
  models: [
    {
      analyst: "openai",
      version: "openai/7",
      model: "gpt-large",
      analyses: 150,
      prompt_tokens: 3_100,
      completion_tokens: 620,
      cost_usd: 0.0042,
      latency_ms: 8_400,
    },
    {
      analyst: "rules",
      version: "rules/1",
      model: "rules-v1",
      analyses: 127,
      prompt_tokens: null,
      completion_tokens: null,
      cost_usd: null,
      latency_ms: null,
    },
  ],
  recorded: {
    symbols: ["BTC/USDT"],
    analysts: [
      { analyst: "openai", version: "openai/7", model: "gpt-large" },
      { analyst: "rules", version: "rules/1", model: "rules-v1" },
    ],
  },
};
