import type { HoldResult } from "./buy-and-hold.ts";
import { chanceBand } from "./chance-band.ts";
import type { EquityCurves } from "./report/report-schema.ts";
import type { WalkedTrade } from "./walk-market.ts";

/** Points of each curve at most: more than a screen shows. */
const MOST_POINTS = 240;

/** All curves on one grid of times, from the first close to the last. */
export function equityCurves(options: {
  hold: HoldResult;
  trades: readonly WalkedTrade[];
  atrRuleTrades: readonly WalkedTrade[];
  runs: readonly (readonly WalkedTrade[])[];
}): EquityCurves {
  const { hold, trades, atrRuleTrades, runs } = options;
  const times = gridOf([hold.from, ...hold.curve.map(({ at }) => at)]);
  const runCurves = runs.map((run) => curveAt(times, run));
  const { percentPerR } = hold;
  return {
    times: times.map((at) => new Date(at).toISOString()),
    analyst: curveAt(times, trades),
    atr_rule: curveAt(times, atrRuleTrades),
    hold: percentPerR === null ? null : holdAt(times, hold).map((percent) => percent / percentPerR),
    random: bandAt(times, runCurves),
  };
}

function gridOf(times: readonly number[]): number[] {
  const step = Math.max(1, Math.ceil(times.length / MOST_POINTS));
  const last = times.length - 1;
  return times.filter((_, index) => (last - index) % step === 0 || index === 0);
}

/** R won by each of the times. */
function curveAt(times: readonly number[], trades: readonly WalkedTrade[]): number[] {
  const results = trades.flatMap(({ judgement }) =>
    judgement?.r_multiple == null
      ? []
      : { at: Date.parse(judgement.resolved_at), r: judgement.r_multiple },
  );
  let [next, total] = [0, 0];
  return times.map((time) => {
    for (let result = results[next]; result && result.at <= time; result = results[next]) {
      total += result.r;
      next += 1;
    }
    return total;
  });
}

function holdAt(times: readonly number[], { curve }: HoldResult): number[] {
  const byTime = new Map(curve.map(({ at, percent }) => [at, percent]));
  return times.map((time) => byTime.get(time) ?? 0);
}

function bandAt(
  times: readonly number[],
  curves: readonly (readonly number[])[],
): EquityCurves["random"] {
  const bands = times.map((_, index) => chanceBand(curves.map((curve) => curve[index] ?? 0)));
  const known = bands.filter((band) => band !== null);
  return known.length === times.length ? known : null;
}
