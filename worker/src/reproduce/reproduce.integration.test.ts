import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { HOUR_MS } from "@shared/contract/constants.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { signalRequestSchema } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { fileStore } from "@shared/database/file-bytes.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { packCandles, readCandles } from "@shared/database/stored-candles.ts";
import { newSignalId, queueSignal } from "@shared/domain/queue-signal.ts";
import { commit } from "@shared/outbox/commit.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createUser } from "@shared/testing/factories.ts";
import { type FakeOpenAi, startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { createSignals, startRun } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Analyst } from "../analysis/analyst.ts";
import { NO_EVIDENCE } from "../analysis/evidence/evidence-pack.ts";
import { createOpenAiAnalyst } from "../analysis/openai/openai-analyst.ts";
import { rulesAnalyst } from "../analysis/rules/rules-analyst.ts";
import { runAnalysis } from "../signals/run-analysis.ts";
import { liveSeries, memoryMarketData, recordedCandles } from "../testing/fakes.ts";
import { createWorkerMetrics } from "../worker-metrics.ts";
import { describeReproduction, reproduceStoredSignal, runReproduction } from "./run-reproduce.ts";

const uri = testDatabaseUri();
const PROJECT = new URL("../../../", import.meta.url);

let database: Database;
let openai: FakeOpenAi;
beforeAll(async () => {
  database = await openDatabase({ uri });
  openai = await startFakeOpenAi();
});
beforeEach(() => openai.reset());
afterAll(async () => {
  await openai.close();
  await database.close();
});

/** Recorded candles, the last of which has just closed: a worker's time is short for signals that wait. */
const recorded = recordedCandles("BTC-USDT.1h").slice(0, 600);
const lastOpened = Math.floor(Date.now() / HOUR_MS - 1) * HOUR_MS;
const candles = recorded.map((candle, index) => ({
  ...candle,
  time: lastOpened - (recorded.length - 1 - index) * HOUR_MS,
}));

const model = ({ samples = 1 } = {}) =>
  createOpenAiAnalyst({
    samples,
    apiKey: "sk-test",
    baseUrl: openai.baseUrl,
    model: "test-model",
    callTimeoutMs: 5_000,
    maxOutputTokens: 4_000,
    price: null,
  });

/** A signal that a worker made, stored as it does; ETH/BTC is sized by the price of a bitcoin. */
async function storeSignal(
  analyst: Analyst,
  { symbol = "BTC/USDT", hasImage = false } = {},
): Promise<string> {
  const user = await createUser(database, { approved: true });
  const id = newSignalId();
  const chartImageId = hasImage ? await storeImage(user, id) : undefined;
  const request = signalRequestSchema.parse({ symbol, timeframe: "1h", amount: 1_000 });
  const signal = await commit(database, { lockKeys: id.toString() }, (uow) =>
    queueSignal(database, uow, {
      ...{ id, userId: user._id, request },
      ...(chartImageId && { chartImageId }),
    }),
  );
  const series = liveSeries(candles);
  const deps = {
    database,
    logger: createLogger({ service: "test", level: "silent" }),
    marketData: memoryMarketData({ "BTC/USDT": series, "ETH/BTC": { ...series, notes: ["Hm."] } }),
    analyst,
    metrics: createWorkerMetrics(),
    evidence: NO_EVIDENCE,
    tradingCosts: DEFAULT_TRADING_COSTS,
    now: () => new Date(),
    shutdown: new AbortController().signal,
  };
  const run = await startRun(database, signal);
  if (!run) throw new Error("the signal could not be started");
  await runAnalysis(deps, run, deps.shutdown);
  return id.toString();
}

async function storeImage(owner: UserRecord, signalId: Types.ObjectId): Promise<Types.ObjectId> {
  const { _id: userId, username } = owner;
  const bytes = Buffer.from("a chart");
  const id = new Types.ObjectId();
  await fileStore(database, "chart_uploads").save({ id, filename: `${id}.png`, bytes });
  await database.chartImages.create({
    ...{ _id: id, userId, username, signalId, filename: `${id}.png` },
    ...{ contentType: "image/png", size: bytes.length, createdAt: new Date() },
  });
  return id;
}

const analysisIdOf = async (id: string) => (await database.signals.findById(id).lean())?.analysisId;

/** Changes fields of a signal, or of the provenance of its analysis. */
async function change(id: string, fields: Record<string, unknown>): Promise<void> {
  const isProvenance = Object.keys(fields).every((field) => field.startsWith("provenance."));
  if (isProvenance) {
    const _id = await analysisIdOf(id);
    await database.marketAnalyses.updateOne({ _id }, { $set: fields });
  } else await database.signals.updateOne({ _id: id }, { $set: fields });
}

async function fieldsThatDiffer(id: string): Promise<string[]> {
  const reproduction = await reproduceStoredSignal(database, id);
  if (reproduction.verdict !== "mismatch") throw new Error(`it is a ${reproduction.verdict}`);
  return reproduction.differences.map(({ field }) => field);
}

describe("a stored signal made again", () => {
  it.each(["BTC/USDT", "ETH/BTC"])("by the rules is the same: %s", async (symbol) => {
    const id = await storeSignal(rulesAnalyst, { symbol });
    expect(await reproduceStoredSignal(database, id)).toEqual({ verdict: "match", notes: [] });
  });

  it("from a model's replies is the same, without a request to the model", async () => {
    const id = await storeSignal(model());
    const asked = openai.chats.length;
    expect(await reproduceStoredSignal(database, id)).toEqual({ verdict: "match", notes: [] });
    expect(openai.chats).toHaveLength(asked);
    const signal = await database.signals.findById(id).lean();
    expect(signal?.analysis).toMatchObject({
      final_signal: "BUY",
      source: { analyst_version: expect.stringMatching(/^openai\/\d/) },
    });
  });

  it("from a chart image, of this market, of another one or unreadable, is the same, without the image", async () => {
    const read = { chart_symbol: "BTCUSDT", chart_lines: [candles.at(-1)?.close ?? 0] };
    openai.behave(({ images }) => ({ kind: "advice", advice: images.length > 0 ? read : {} }));
    const own = await storeSignal(model(), { hasImage: true });
    openai.behave({ kind: "advice", advice: { chart_symbol: "ETHUSDT" } });
    const other = await storeSignal(model(), { hasImage: true });
    openai.behave(({ images }) =>
      images.length > 0 ? { kind: "content", content: "Nice!" } : { kind: "advice" },
    );
    const unread = await storeSignal(model(), { hasImage: true });
    openai.reset();
    for (const id of [own, other, unread]) {
      expect(await reproduceStoredSignal(database, id)).toEqual({ verdict: "match", notes: [] });
    }
    expect(openai.chats).toHaveLength(0);
    const [bought, waited] = await Promise.all(
      [own, other].map((id) => database.signals.findById(id).lean()),
    );
    expect(bought?.analysis?.final_signal).toBe("BUY");
    expect(bought?.analysis?.raw_ai.chart_reading).toMatchObject({ lines: read.chart_lines });
    expect(waited?.analysis).toMatchObject({ final_signal: "WAIT", source: { analyst: "none" } });
  });

  it("from several samples of a model, some of which failed, is the same", async () => {
    openai.behave((_, index) => (index === 1 ? { kind: "refusal" } : { kind: "advice" }));
    const id = await storeSignal(model({ samples: 3 }));
    openai.reset();
    expect(await reproduceStoredSignal(database, id)).toEqual({ verdict: "match", notes: [] });
    expect(openai.chats).toHaveLength(0);
  });

  it("from a model that had to be corrected, would not be, was cut off or could not be read, is the same", async () => {
    const upsideDown = { kind: "advice", advice: { stop_loss: 999_999 } } as const;
    openai.behave((_, index) => (index === 0 ? upsideDown : { kind: "advice" }));
    const corrected = await storeSignal(model());
    openai.behave(upsideDown);
    const rejected = await storeSignal(model());
    openai.behave({ kind: "content", content: "{", finishReason: "length" });
    const cutOff = await storeSignal(model());
    const prose = { kind: "content", content: "Buy!" } as const;
    openai.reset();
    openai.behave((_, index) => (index === 0 ? prose : { kind: "advice" }));
    const unreadable = await storeSignal(model());
    for (const id of [corrected, rejected, cutOff, unreadable]) {
      expect(await reproduceStoredSignal(database, id)).toMatchObject({ verdict: "match" });
    }
  });

  it("differs in what was changed", async () => {
    const id = await storeSignal(model());
    await change(id, { "analysis.take_profit": 1, "analysis.raw_ai.key_evidence.0": "Trust me." });
    expect(await fieldsThatDiffer(id)).toEqual(["take_profit", "raw_ai.key_evidence.0"]);
    const text = describeReproduction(id, await reproduceStoredSignal(database, id));
    expect(text).toMatch(/take_profit\n {4}stored {6}1\n {4}recomputed {2}\d/);
  });

  it("differs where the model's reply, the prompt or the candles were changed", async () => {
    const reply = await storeSignal(model());
    const signal = await database.signals.findById(reply).lean();
    await change(reply, {
      "provenance.calls.0.rawReply": JSON.stringify({
        ...signal?.analysis,
        ...signal?.analysis?.raw_ai,
        confidence: 12,
      }),
    });
    expect(await fieldsThatDiffer(reply)).toContain("confidence");
    const prompt = await storeSignal(model());
    await change(prompt, { "provenance.calls.0.prompt": "Say BUY." });
    expect(await fieldsThatDiffer(prompt)).toEqual(["provenance.calls.0.prompt"]);
    const altered = await storeSignal(rulesAnalyst);
    const _id = new Types.ObjectId(await analysisIdOf(altered));
    const seen = await readCandles(database.analysisCandles, _id);
    const changed = seen.map((candle, index) => (index === 299 ? { ...candle, close: 1 } : candle));
    await database.analysisCandles.replaceOne({ _id }, packCandles(changed));
    expect(await fieldsThatDiffer(altered)).toEqual(["candles.sha256"]);
  });

  it("is the same if an earlier version stored its candles as objects", async () => {
    const id = await storeSignal(rulesAnalyst);
    const _id = new Types.ObjectId(await analysisIdOf(id));
    const seen = await readCandles(database.analysisCandles, _id);
    await database.analysisCandles.replaceOne({ _id }, { candles: seen });
    expect(await reproduceStoredSignal(database, id)).toMatchObject({ verdict: "match" });
  });

  it("is not possible for what is not there, and says why", async () => {
    const user = await createUser(database);
    const [queued] = await createSignals(database, user, { status: "queued" });
    const [failed] = await createSignals(database, user, { status: "failed" });
    const [bare] = await createSignals(database, user);
    const bald = await storeSignal(rulesAnalyst);
    await database.analysisCandles.deleteOne({ _id: await analysisIdOf(bald) });
    const older = await storeSignal(rulesAnalyst);
    await change(older, { "provenance.analystVersion": "rules/1" });
    const withImage = await storeSignal(model(), { hasImage: true });
    await change(withImage, { "provenance.analystVersion": "openai/2020-1-1" });
    await database.marketAnalyses.updateOne(
      { _id: await analysisIdOf(withImage) },
      { $unset: { "provenance.chart": 1 } },
    );
    await database.signals.updateOne({ _id: queued?._id }, { $unset: { analysis: 1 } });
    const reasonFor = async (id: unknown) => {
      const reproduction = await reproduceStoredSignal(database, String(id));
      return reproduction.verdict === "impossible" ? reproduction.reason : reproduction.verdict;
    };
    expect(await reasonFor(newSignalId())).toBe("There is no such signal.");
    expect(await reasonFor("nonsense")).toBe("There is no such signal.");
    expect(await reasonFor(queued?._id)).toBe("It is not finished yet (queued).");
    expect(await reasonFor(failed?._id)).toBe("It failed: there is nothing to recompute.");
    expect(await reasonFor(bare?._id)).toMatch(/^Its provenance is missing/);
    expect(await reasonFor(bald)).toBe("Its candles are not stored.");
    expect(await reasonFor(withImage)).toBe(
      "openai/2020-1-1 read its chart image in another way: use the version of the product that made it.",
    );
    expect(await reasonFor(older)).toBe(
      `It was made by rules/1, and this is ${rulesAnalyst.version}: use the version of the product that made it.`,
    );
  });

  it("of an older prompt is compared in all but the prompt", async () => {
    const id = await storeSignal(model());
    await change(id, {
      "provenance.analystVersion": "openai/2020-1-1",
      "provenance.calls.0.prompt": "An older one.",
    });
    await change(id, { "analysis.source.analyst_version": "openai/2020-1-1" });
    expect(await reproduceStoredSignal(database, id)).toMatchObject({
      verdict: "match",
      notes: [expect.stringMatching(/^The prompt was openai\/2020-1-1/)],
    });
  });
});

describe("npm run reproduce", () => {
  async function run(...args: string[]) {
    const env = {
      PATH: process.env.PATH,
      MONGODB_URI: uri,
      JWT_SECRET: "x".repeat(32),
      ADMIN_PASSWORD: "secret-1",
    };
    const child = spawn(process.execPath, ["scripts/run.mjs", "reproduce", ...args], {
      cwd: PROJECT,
      env,
    });
    const [output, errors, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { output, errors, exitCode };
  }

  it("says match, mismatch or why not, in words and by its exit code", async () => {
    const id = await storeSignal(rulesAnalyst);
    expect(await runReproduction({ uri, signalId: id })).toEqual({
      text: `${id}: match. Made again from its candles, it is the same.`,
      exitCode: 0,
    });
    await change(id, { "analysis.confidence": 99 });
    const changed = await run(id);
    expect(changed).toMatchObject({ exitCode: 1, output: expect.stringContaining("mismatch") });
    expect(changed.output).toContain("  confidence\n    stored      99\n");
    const other = newSignalId().toString();
    expect(await runReproduction({ uri, signalId: other })).toEqual({
      text: `${other}: cannot be made again. There is no such signal.`,
      exitCode: 2,
    });
    expect(await run()).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining("Which signal?"),
    });
  }, 60_000);
});
