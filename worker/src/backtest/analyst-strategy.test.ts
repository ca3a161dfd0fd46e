import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Advice, type AdviceRequest, NO_ADVICE } from "../analysis/analyst.ts";
import { buildMarketBrief } from "../analysis/market-brief.ts";
import { ProviderError } from "../market-data/market-data.ts";
import { bitcoinCandles } from "../testing/backtest-input.ts";
import { adviceOf, scriptedAnalyst } from "../testing/fakes.ts";
import { cachedAnalyst } from "./analyst-strategy.ts";

const candles = bitcoinCandles(1);
const market = { symbol: "BTC/USDT", timeframe: "1h", limit: 50 } as const;
const { signal: abort } = new AbortController();
const request = (corrections: string[] = []): AdviceRequest => ({
  brief: buildMarketBrief({ ...market, candles }),
  corrections,
  costs: DEFAULT_TRADING_COSTS.crypto,
  abort,
});

let directory: string;
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), "backtest-cache-")), "not-there-yet");
});
afterEach(() => rmSync(join(directory, ".."), { recursive: true }));

function cached(script: (Advice | Error)[], model = "model-1") {
  const scripted = scriptedAnalyst(script);
  const promptOf = ({ brief, corrections }: AdviceRequest) =>
    [brief.lastCandleAt, ...corrections].join("\n");
  const { analyst, use } = cachedAnalyst({ analyst: scripted, model, promptOf, directory });
  return { analyst, use, asked: scripted.asked };
}

describe("an analyst whose answers are kept", () => {
  it("is asked once, and says the same again in another run", async () => {
    const first = cached([adviceOf({ confidence: 71 })]);
    const answer = await first.analyst.advise(request());
    const second = cached([]);
    expect(await second.analyst.advise(request())).toMatchObject({
      advice: answer.advice,
      model: answer.model,
      prompt: answer.prompt,
      rawReply: answer.rawReply,
    });
    expect([first.use, second.use]).toEqual([
      { asked: 1, kept: 0 },
      { asked: 0, kept: 1 },
    ]);
    expect(second.asked).toEqual([]);
    expect(readdirSync(directory)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.json$/)]);
  });

  it("is called again for other corrections, and for another model", async () => {
    const { analyst, use } = cached([adviceOf({}), adviceOf({})]);
    await analyst.advise(request());
    await analyst.advise(request(["The stop is too near."]));
    expect(use.asked).toBe(2);
    const other = cached([adviceOf({})], "model-2");
    await other.analyst.advise(request());
    expect(other.use.asked).toBe(1);
  });

  it("is called again if the file is damaged", async () => {
    await cached([adviceOf({})]).analyst.advise(request());
    for (const damage of ["", '{"advice":', "{}"]) {
      for (const file of readdirSync(directory)) writeFileSync(join(directory, file), damage);
      const { analyst, use } = cached([adviceOf({})]);
      await analyst.advise(request());
      expect(use).toEqual({ asked: 1, kept: 0 });
    }
  });

  it("keeps no answer that was cut off", async () => {
    const reply = { advice: NO_ADVICE, model: "model-1", prompt: "", rawReply: "{" };
    const analyst = {
      ...scriptedAnalyst([]),
      advise: async () => ({ ...reply, cutOff: "The answer was cut off." }),
    };
    const promptOf = () => "the same";
    const { analyst: caching, use } = cachedAnalyst({
      analyst,
      model: "model-1",
      promptOf,
      directory,
    });
    await caching.advise(request());
    expect(await caching.advise(request())).toMatchObject({ cutOff: "The answer was cut off." });
    expect(use).toEqual({ asked: 2, kept: 0 });
  });

  it("keeps no failure", async () => {
    const failure = new ProviderError({ provider: "ai", failure: "refused", message: "no" });
    const { analyst } = cached([failure, adviceOf({})]);
    await expect(analyst.advise(request())).rejects.toThrow(failure);
    expect(await analyst.advise(request())).toMatchObject({ model: "scripted-1" });
  });
});
