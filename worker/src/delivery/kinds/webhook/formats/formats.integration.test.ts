import { webhookFormatSchema } from "@shared/contract/channel-kinds/webhook-formats.ts";
import { TEST_WEBHOOK_SECRET } from "@shared/testing/factories.ts";
import { type HttpFake, readText, startHttpFake } from "@shared/testing/fakes/fake-http.ts";
import { tradeAnalysis, WAIT_ANALYSIS } from "@shared/testing/signal-factory.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChannelMessage } from "../../../channel-sender.ts";
import { describeMessage } from "../../../describe-message.ts";
import { webhookSender } from "../webhook-sender.ts";
import type { WebhookTarget } from "./webhook-format.ts";

const AT = new Date("2026-11-21T10:00:00.000Z");
const NASTY = 'A"B\\\n🚀<b>&|`*_{{id}}';

interface Received {
  url: string | undefined;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

describe("the formats of webhooks", () => {
  let receiver: HttpFake;
  let received: Received[] = [];
  let answer = { status: 200, body: "ok" };
  beforeAll(async () => {
    receiver = await startHttpFake(async (request, response) => {
      const { url, headers } = request;
      received.push({ url, headers, body: await readText(request) });
      response.writeHead(answer.status).end(answer.body);
    });
  });
  beforeEach(() => {
    received = [];
    answer = { status: 200, body: "ok" };
  });
  afterAll(() => receiver.close());

  const sender = webhookSender({
    policy: { allowPrivate: true },
    origin: "https://app.example.com",
    describe: async (message) => describeMessage(message, new Map()),
  });

  const signal = (change: object = {}, market: object = {}) => ({
    type: "signal.completed" as const,
    data: {
      signal_id: "65f0c0ffee0c0ffee0c0ffee",
      symbol: "BTC/USDT",
      timeframe: "1h",
      status: "completed",
      created_at: AT.toISOString(),
      analysis: {
        ...tradeAnalysis(AT),
        final_signal: "BUY",
        confidence: 72.5,
        entry: 107357.1,
        stop_loss: 106000,
        take_profit: 110000.5,
        ...change,
      },
      ...market,
    },
  });

  async function send(
    target: Partial<WebhookTarget>,
    message: Pick<ChannelMessage, "type" | "data"> = signal(),
  ) {
    const result = await sender.send(
      {
        id: "msg_1",
        channelId: "1",
        timestamp: AT,
        ...message,
        target: { kind: "webhook", url: receiver.url, secret: TEST_WEBHOOK_SECRET, ...target },
        user: { username: "ann", email: "ann@example.com" },
        sentAt: AT,
        validUntil: null,
      },
      AbortSignal.timeout(5_000),
    );
    return { result, request: received.at(-1) };
  }

  it("standard is signed, and the only one that is", async () => {
    for (const format of webhookFormatSchema.options) {
      const { request } = await send({ format, template: "{}" });
      const isSigned = request?.headers["webhook-signature"] !== undefined;
      expect([format, isSigned]).toEqual([format, format === "standard"]);
    }
  });

  it("discord is the message that channels of that kind get, and waits for its answer", async () => {
    const { request, result } = await send({ format: "discord" });
    expect(request?.url).toBe("/?wait=true");
    const { content, allowed_mentions } = JSON.parse(request?.body ?? "");
    expect(content).toMatch(
      /^\*\*BUY BTC\/USDT: 1h, 72\.5% stated confidence, not yet calibrated\*\*\nEntry: `107357/,
    );
    expect(content).toMatch(/\(<https:\/\/app\.example\.com\/signals\/65f0\w+>\)$/);
    expect(allowed_mentions).toEqual({ parse: [] });
    expect(result.outcome).toBe("delivered");
    answer = { status: 404, body: '{"message": "Unknown Webhook", "code": 10015}' };
    expect((await send({ format: "discord" })).result).toMatchObject({
      outcome: "gone",
      error: "The webhook was deleted in Discord.",
    });
  });

  it("slack has a text and mrkdwn blocks, in which nothing is a mention or a link of others", async () => {
    const { request } = await send({ format: "slack" }, signal({ warnings: ["<!channel> & *x*"] }));
    const { text, blocks } = JSON.parse(request?.body ?? "");
    expect(text).toBe("BUY BTC/USDT: 1h, 72.5% stated confidence, not yet calibrated");
    expect(blocks).toMatchObject([
      { type: "section", text: { type: "mrkdwn" } },
      {
        type: "section",
        text: {
          type: "mrkdwn",
          text: expect.stringMatching(/^<https:\/\/app\.example\.com\/signals\/\w+\|[\w ]+>$/),
        },
      },
    ]);
    expect(blocks[0].text.text).toContain("Entry: `107357.10000`");
    expect(blocks[0].text.text).toContain("&lt;!channel&gt; &amp;");
    expect(blocks[0].text.text.length).toBeLessThanOrEqual(3_000);
    answer = { status: 404, body: "no_service" };
    expect((await send({ format: "slack" })).result.outcome).toBe("gone");
  });

  it("cornix is the text that Cornix documents: pair, entry, take profit, stop", async () => {
    const { request } = await send({ format: "cornix" });
    expect(request?.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(request?.body).toBe(
      [
        "#BTC/USDT",
        "Signal Type: Regular (Long)",
        "",
        "Entry Targets:",
        "1) 107357.1",
        "",
        "Take-Profit Targets:",
        "1) 110000.5",
        "",
        "Stop Targets:",
        "1) 106000",
      ].join("\n"),
    );
    const short = signal({ final_signal: "SELL", stop_loss: 110_000, take_profit: 106_000 });
    const { request: shortRequest } = await send({ format: "cornix" }, short);
    expect(shortRequest?.body).toContain("(Short)");
  });

  it("3commas has the fields of a custom signal that 3Commas documents", async () => {
    const target = { format: "3commas", bot: { uuid: "b-1", secret: "token" } } as const;
    const { request } = await send(target);
    expect(JSON.parse(request?.body ?? "")).toEqual({
      secret: "token",
      max_lag: "300",
      timestamp: "2026-11-21T10:00:00.000Z",
      trigger_price: "107357.1",
      tv_exchange: "BINANCE",
      tv_instrument: "BTCUSDT",
      action: "enter_long",
      bot_uuid: "b-1",
    });
    const { request: short } = await send(target, signal({ final_signal: "SELL" }));
    expect(JSON.parse(short?.body ?? "")).toMatchObject({ action: "enter_short" });
  });

  it("template has the values of the trade in the user's JSON", async () => {
    const template =
      '{"t":"{{side}} {{symbol}} {{timeframe}}","levels":[{{entry}},{{stop_loss}},{{take_profit}}],"c":{{confidence}},"id":{{id}}}';
    const { request } = await send({ format: "template", template });
    expect(request?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(request?.body ?? "")).toEqual({
      t: "BUY BTC/USDT 1h",
      levels: [107357.1, 106000, 110000.5],
      c: 72.5,
      id: "65f0c0ffee0c0ffee0c0ffee",
    });
  });

  it.each(["standard", "discord", "slack", "3commas", "template"] as const)(
    "%s stays JSON with quotes, lines and emoji in every text",
    async (format) => {
      const texts = {
        warnings: [NASTY],
        raw_ai: { ...tradeAnalysis(AT).raw_ai, rationale: NASTY, key_evidence: [NASTY] },
      };
      const bot = { uuid: NASTY, secret: NASTY };
      const template = '{"a":"{{symbol}}","b":{{symbol}}}';
      const nasty = signal(texts, { symbol: NASTY });
      const { request } = await send({ format, bot, template }, nasty);
      const parsed = JSON.parse(request?.body ?? "");
      if (format === "template") expect(parsed).toEqual({ a: NASTY, b: NASTY });
      if (format === "3commas") expect(parsed).toMatchObject({ secret: NASTY, bot_uuid: NASTY });
    },
  );

  it.each(["cornix", "3commas", "template"] as const)(
    "%s is sent trades only, and a test is of a symbol that no exchange has",
    async (format) => {
      const target = { format, template: '{"s":"{{symbol}}"}' } as const;
      const wait = signal({ ...WAIT_ANALYSIS });
      const account = { type: "account.updated" as const, data: { reason: "approved" } };
      for (const message of [wait, account]) {
        const { result } = await send(target, message);
        expect(result).toMatchObject({
          outcome: "skipped",
          error: expect.stringMatching(/trades/),
        });
      }
      expect(received).toHaveLength(0);
      const { request } = await send(target, { type: "channel.test", data: { message: "Test" } });
      expect(request?.body).toMatch(/TEST\/?USDT/);
    },
  );
});
