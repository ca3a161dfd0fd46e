import { readFileSync } from "node:fs";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { ModelServerTraits } from "@shared/database/models/model-server.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import {
  type FakeOpenAi,
  type OpenAiBehaviour,
  startFakeOpenAi,
} from "@shared/testing/fakes/fake-openai.ts";
import {
  FAULTY_SERVERS,
  MODEL_SERVERS,
  type ModelServer,
} from "@shared/testing/fakes/model-servers.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Recordings } from "../../market-data/replay/replay-market-data.ts";
import { patient } from "../../testing/fakes.ts";
import { type AdviceRequest, type CallUsage, SettingsFaultError } from "../analyst.ts";
import { buildMarketBrief } from "../market-brief.ts";
import { readChart, requestAdvice, StageTimer } from "../request-advice.ts";
import { storedModelServer } from "./model-server-store.ts";
import { createOpenAiAnalyst, type OpenAiOptions } from "./openai-analyst.ts";

const PICTURE = "data:image/png;base64,iVBORw0KGgo=";

let database: Database;
let openai: FakeOpenAi;
beforeAll(async () => {
  [database, openai] = await Promise.all([
    openDatabase({ uri: testDatabaseUri() }),
    startFakeOpenAi(),
  ]);
});
afterAll(() => Promise.all([database.close(), openai.close()]));
beforeEach(() => openai.reset());
afterEach(() => database.modelServers.deleteMany());

const recordings = new Recordings(new URL("../../market-data/replay/data/", import.meta.url));
const candles = (recordings.find("BTC/USDT", "1h") ?? []).slice(-300);
const brief = buildMarketBrief({ symbol: "BTC/USDT", timeframe: "1h", limit: 50, candles });
const atr = brief.indicators.atr14 ?? Number.NaN;

/** Lines that a worker logs. */
const lines: string[] = [];
const logger = createLogger({
  service: "worker",
  level: "info",
  destination: { write: (line: string) => void lines.push(line) },
});

/** A worker of its own: it knows only what is in the database. */
function newAnalyst(options: Partial<OpenAiOptions> = {}) {
  const { baseUrl } = openai;
  return createOpenAiAnalyst({
    apiKey: "sk-test",
    baseUrl,
    model: "test-model",
    reasoningEffort: "low",
    callTimeoutMs: 10_000,
    maxOutputTokens: 4_000,
    price: null,
    server: storedModelServer({ database, logger }, { baseUrl, model: "test-model" }),
    logger,
    ...options,
  });
}

async function analyse(analyst = newAnalyst(), chartImage?: string) {
  const before = openai.chats.length;
  const abort = patient();
  const asked = { brief, costs: DEFAULT_TRADING_COSTS.crypto, abort };
  const timer = new StageTimer(Date.now);
  const readImage = async () => chartImage && readChart(analyst, { chartImage, abort });
  const result = await readImage()
    .then(() => requestAdvice(analyst, asked, atr, timer))
    .then(
      ({ last }) => last.reply.advice.final_signal,
      (error: unknown) => error,
    );
  return { result, calls: openai.chats.length - before };
}

const learned = async (): Promise<ModelServerTraits | undefined> =>
  (await database.modelServers.findOne().lean())?.accepts;

function describeTraits({ responseFormat, tokenLimit, leftOut }: ModelServerTraits): string {
  const without = leftOut.map((name) => `, without \`${name}\``).join("");
  return `\`${responseFormat}\`, \`${tokenLimit}\`${without}`;
}

const document = readFileSync(new URL("../../../../docs/settings.md", import.meta.url), "utf8");

describe("the table of servers in docs/settings.md", () => {
  it.each(Object.entries(MODEL_SERVERS))("says what is learned of %s", async (name, server) => {
    openai.behave({ kind: "server", server });
    const first = await analyse();
    const second = await analyse();
    expect([first.result, second.result]).toEqual(["BUY", "BUY"]);
    expect(first.calls).toBeLessThanOrEqual(3);
    expect(second.calls).toBe(1);
    const traits = await learned();
    if (!traits) throw new Error("nothing was learned");
    expect(document).toContain(
      `| ${name} | ${describeTraits(traits)} | ${first.calls} | ${second.calls} |`,
    );
  });

  it("lists no other servers, and at least 24", () => {
    const rows = document.match(/^\| .+ \| `(json_schema|json_object|text)`, .+ \| \d \| \d \|$/gm);
    expect(rows).toHaveLength(Object.keys(MODEL_SERVERS).length);
    expect(rows?.length).toBeGreaterThanOrEqual(24);
  });

  it.each(Object.entries(FAULTY_SERVERS))(
    "says which setting to check: %s",
    async (name, server) => {
      openai.behave({ kind: "server", server });
      const { result, calls } = await analyse(newAnalyst(), PICTURE);
      expect(result).toBeInstanceOf(SettingsFaultError);
      expect(calls).toBe(1);
      const sentence = result instanceof Error ? result.message.replace(/^openai: /, "") : "";
      expect(sentence).toContain("OPENAI_");
      expect(document).toContain(`| ${name} | ${sentence} |`);
    },
  );
});

const MODES: Readonly<Record<string, ModelServer | undefined>> = MODEL_SERVERS;
const behaveAs = (name: string) => {
  const server = MODES[name];
  if (!server) throw new Error(`there is no server ${name}`);
  openai.behave({ kind: "server", server });
};

describe("what a server accepts", () => {
  it("is learned by one worker for all, with the names of all fields in every prompt", async () => {
    behaveAs("a server that knows only text, one format at a time");
    await analyse();
    await analyse();
    expect(openai.chats.map(({ body }) => body.response_format?.type)).toEqual([
      "json_schema",
      "json_object",
      undefined,
      undefined,
    ]);
    for (const { text } of openai.chats) {
      for (const field of ["key_evidence", "hold_candles", "trade_duration_text"]) {
        expect(text).toContain(`"${field}"`);
      }
    }
    expect(await database.modelServers.find().lean()).toMatchObject([
      { address: openai.baseUrl, model: "test-model", accepts: { learnedAt: expect.any(Date) } },
    ]);
  });

  it("is learned again when the server rejects it", async () => {
    behaveAs("DeepSeek chat");
    await analyse();
    expect(await learned()).toMatchObject({ responseFormat: "json_object" });
    behaveAs("LM Studio");
    expect(await analyse()).toEqual({ result: "BUY", calls: 2 });
    expect(await learned()).toMatchObject({ responseFormat: "json_schema" });
    expect(await analyse()).toEqual({ result: "BUY", calls: 1 });
  });

  it("is kept for each model", async () => {
    behaveAs("Mistral");
    await analyse();
    const { baseUrl } = openai;
    const server = storedModelServer({ database, logger }, { baseUrl, model: "another" });
    expect((await analyse(newAnalyst({ model: "another", server }))).calls).toBe(2);
    expect(await database.modelServers.countDocuments()).toBe(2);
  });

  it("is not searched for where the format is set", async () => {
    behaveAs("DeepSeek chat");
    expect(await analyse(newAnalyst({ responseFormat: "text" }))).toEqual({
      result: "BUY",
      calls: 1,
    });
    const { result, calls } = await analyse(newAnalyst({ responseFormat: "json_schema" }));
    expect(calls).toBe(1);
    expect(result).toMatchObject({
      message: "openai: the server does not accept OPENAI_RESPONSE_FORMAT=json_schema (400)",
    });
  });

  it("costs no correction: that is left for the answer", async () => {
    const server = { ...MODES["DeepSeek chat"], writes: () => ({ content: "Buy!" }) };
    openai.behave((_, index) => (index < 2 ? { kind: "server", server } : { kind: "advice" }));
    expect(await analyse()).toEqual({ result: "BUY", calls: 3 });
  });

  it("is learned from a body with status 200, too", async () => {
    const body = { error: { message: "Unsupported parameter: 'response_format'", code: 400 } };
    openai.behave(({ body: { response_format: format } }) =>
      format ? { kind: "body", body } : { kind: "advice" },
    );
    expect(await analyse()).toEqual({ result: "BUY", calls: 2 });
  });

  it("is logged once, and a setting that is left out with it", async () => {
    behaveAs("xAI");
    lines.length = 0;
    await analyse();
    await analyse();
    expect(lines.filter((line) => line.includes("learned what"))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("OPENAI_REASONING_EFFORT"))).toHaveLength(1);
  });

  it("is not taken from a server whose address has a password", async () => {
    const url = new URL(openai.baseUrl);
    const baseUrl = `http://user:secret@${url.host}/v1?key=secret`;
    const server = storedModelServer({ database, logger }, { baseUrl, model: "m" });
    await server.saveFault("none");
    expect(JSON.stringify(await database.modelServers.find().lean())).not.toContain("secret");
  });
});

it("a fault of the settings is logged and stored once, until a call succeeds", async () => {
  const analyst = newAnalyst();
  const stored = async () => (await database.modelServers.findOne().lean())?.fault?.message;
  openai.behave({ kind: "status", status: 401 });
  lines.length = 0;
  await analyse(analyst);
  await analyse(analyst);
  expect(lines.filter((line) => line.includes("OPENAI_API_KEY"))).toHaveLength(1);
  expect(await stored()).toContain("check OPENAI_API_KEY");
  openai.behave({ kind: "advice" });
  await analyse(analyst);
  expect(await stored()).toBeUndefined();
});

it("a server that cuts the prompt is reported with what to change, until it reads all of it", async () => {
  const analyst = newAnalyst();
  const stored = async () => (await database.modelServers.findOne().lean())?.fault?.message;
  const readAs = (promptTokens: number) =>
    openai.behave({ kind: "advice", usage: { promptTokens, completionTokens: 200 } });
  lines.length = 0;
  readAs(1_600);
  expect(await analyse(analyst)).toEqual({ result: "BUY", calls: 1 });
  await analyse(analyst);
  expect(lines.filter((line) => line.includes("OLLAMA_CONTEXT_LENGTH"))).toHaveLength(1);
  expect(await stored()).toContain("read only 1600 tokens");
  readAs(6_000);
  await analyse(analyst);
  expect(await stored()).toBeUndefined();
});

const question = (part: Partial<AdviceRequest> = {}): AdviceRequest => ({
  brief,
  costs: DEFAULT_TRADING_COSTS.crypto,
  corrections: [],
  abort: patient(),
  ...part,
});

describe("a server that is at fault", () => {
  const error = (code: unknown, message = "Provider returned error") => ({
    kind: "body" as const,
    body: { error: { message, code } },
  });
  const noChoices = { id: "1", choices: null, usage: null };

  it.each<[string, OpenAiBehaviour, object]>([
    ["a rate limit with status 200", error(429), { failure: "rate-limited", status: 429 }],
    ["one in words", error("rate_limit_exceeded"), { failure: "rate-limited" }],
    ["one as text", { kind: "body", body: { error: "overloaded" } }, { failure: "rate-limited" }],
    ["an error with status 200", error(502), { failure: "refused", status: 502 }],
    ["an error without a code", { kind: "body", body: { error: {} } }, { failure: "refused" }],
    [
      "an error document with status 200",
      { kind: "body", body: { object: "error", message: "Too many", code: 429 } },
      { failure: "rate-limited", status: 429 },
    ],
    ["choices that are null", { kind: "body", body: noChoices }, { failure: "refused" }],
    [
      "an error in the choice",
      { kind: "body", body: { choices: [{ error: { code: 503 }, message: { content: "" } }] } },
      { failure: "refused" },
    ],
    [
      "a model that gave up",
      { kind: "content", content: "{", finishReason: "insufficient_system_resource" },
      { failure: "refused" },
    ],
    [
      "half a stream",
      { kind: "body", body: 'data: {"choices":[{"delta":{"content":"{\\"final' },
      { failure: "refused" },
    ],
  ])("may be tried again: %s", async (_, behaviour, expected) => {
    openai.behave(behaviour);
    const advice = newAnalyst().advise(question());
    await expect(advice).rejects.toMatchObject({ ...expected, retryable: true });
    expect(openai.chats).toHaveLength(1);
  });

  it.each<[string, OpenAiBehaviour, number]>([
    ["a header", { ...error(429), headers: { "retry-after": "3" } }, 3_000],
    ["milliseconds", { ...error(429), headers: { "retry-after-ms": "70" } }, 70],
    [
      "a date",
      {
        ...error(429),
        headers: {
          date: "Fri, 27 Nov 2026 04:00:00 GMT",
          "retry-after": "Fri, 27 Nov 2026 04:00:05 GMT",
        },
      },
      5_000,
    ],
    ["words", error(429, "Rate limit reached. Please try again in 1.5s."), 1_500],
    ["Google's words", error(429, "Please retry in 22 seconds"), 22_000],
    ["a field", { kind: "body", body: { error: { code: 429, retry_after: 7 } } }, 7_000],
  ])("is left alone for as long as it says: %s", async (_, behaviour, retryAfterMs) => {
    openai.behave(behaviour);
    await expect(newAnalyst().advise(question())).rejects.toMatchObject({ retryAfterMs });
  });

  it("counts reasoning that stands in the total alone", async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 620 };
    openai.behave({ kind: "body", body: { choices: [{ message: { content: "{}" } }], usage } });
    const counted: CallUsage[] = [];
    const asked = question({ onUsage: (each) => counted.push(each) });
    await expect(newAnalyst().advise(asked)).rejects.toMatchObject({ failure: "nonsense" });
    expect(counted).toMatchObject([{ promptTokens: 100, completionTokens: 520 }]);
  });
});
