import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOUR_MS } from "@shared/contract/constants.ts";
import type { EventData, EventName } from "@shared/contract/events/event-data.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ChannelSecrets } from "@shared/domain/channel-secrets.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { createFileMailer, createSmtpMailer, type Mailer } from "@shared/runtime/mailer.ts";
import { createChannel, createDelivery, createUser } from "@shared/testing/factories.ts";
import { type FakeSmtp, readMail, startFakeSmtp } from "@shared/testing/fakes/fake-smtp.ts";
import { createSignals, resolvedTrade, tradeAnalysis } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type DeliveryStage,
  deliveryStage,
  TEST_CHANNEL_SECRET,
} from "../../../testing/delivery-stage.ts";
import { LEASE_MS } from "../../channel-leases.ts";
import { deliverChannel } from "../../deliver-channel.ts";
import { emailSender } from "./email-sender.ts";

const FROM = "AI Trading Signals <signals@example.com>";
const settings = {
  VITE_API_URL: "https://api.example.com",
  CLIENT_ORIGIN: ["https://app.example.com"],
};
const ALL_EVENTS: ChannelRecord["events"] = [
  ...(["signal.completed", "signal.filled", "signal.entry_left", "signal.outcome"] as const),
  ...(["account.updated", "subscription.expiring"] as const),
  ...(["proof.submitted", "user.registered", "budget.reached"] as const),
];

describe("an email channel", () => {
  let database: Database;
  let smtp: FakeSmtp;
  let stage: DeliveryStage;
  let ann: UserRecord;
  let channel: ChannelRecord;
  const secrets = new ChannelSecrets(TEST_CHANNEL_SECRET);
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  beforeEach(async () => {
    smtp = await startFakeSmtp();
    await setUp(createSmtpMailer({ smtpUrl: smtp.url, from: FROM }));
    return () => smtp.close();
  });
  afterAll(() => database.close());

  const setUp = async (mailer: Mailer) => {
    const email = emailSender({ database, mailer, secrets, settings });
    stage = deliveryStage(database, { email });
    await database.channels.deleteMany();
    ann = await createUser(database);
    channel = await createChannel(stage, ann, {
      url: "",
      kind: "email",
      target: secrets.seal({ kind: "email" }),
      events: ALL_EVENTS,
    });
  };
  const completeSignal = async (changes: Partial<Analysis> = {}) => {
    const validUntil = new Date(stage.now().getTime() + HOUR_MS).toISOString();
    const analysis = tradeAnalysis(stage.now(), {
      confidence: 72,
      valid_until: validUntil,
      suggested_units: 0.5,
      estimated_dollar_risk: 2.5,
      required_margin: 50,
      ...changes,
    });
    const [signal] = await createSignals(database, ann, { analysis });
    if (!signal) throw new Error("No signal was made.");
    await stage.addEvent(ann, "signal:completed", presentSignal(signal));
    return signal._id.toString();
  };
  const send = async <Name extends EventName>(name: Name, data: EventData<Name>) => {
    await stage.addEvent(ann, name, data);
    await stage.deliverDue();
    return smtp.mails.at(-1);
  };
  const subjects = () => smtp.mails.map(({ headers }) => headers.get("subject"));
  const idsOf = () => smtp.mails.map(({ headers }) => headers.get("message-id"));
  const accountChanged = (image_credits: number) =>
    send("account:updated", {
      approved: true,
      role: "user",
      allow_image_upload: true,
      image_credits,
      reason: "credits-granted",
    });

  it("shows a signal with its levels, reasons and warnings, and links to it", async () => {
    const raw_ai = {
      confidence: 72,
      market_condition: "Trending",
      what_to_watch_for: [],
      rationale: { trend: "Up <b>strongly</b>." },
      key_evidence: ["Higher lows"],
    };
    const id = await completeSignal({ raw_ai, warnings: ["Demo data: recorded candles."] });
    await stage.deliverDue();
    const [mail] = smtp.mails;
    expect(mail?.to).toEqual([ann.email.toLowerCase()]);
    expect(mail?.headers.get("subject")).toBe(
      "BUY BTC/USDT: 1h, 72% stated confidence, not yet calibrated",
    );
    expect(mail?.link).toBe(`https://app.example.com/signals/${id}`);
    expect(mail?.text).toMatch(
      /Entry: 100\.00000\nStop loss: 95\.00000\nTake profit: 110\.00000\nEnter before: .* UTC\n/,
    );
    expect(mail?.text).toContain("Position size: 0.5 units\nRisk: 2.5 USD\nMargin: 50 USD\n");
    expect(mail?.text).toContain("- Trend: Up <b>strongly</b>.\n- Higher lows\n");
    expect(mail?.text).toContain("- Warning: Demo data: recorded candles.\n");
    expect(mail?.text).toContain("Signals are not financial advice.");
    expect(mail?.html).toContain("Trend: Up &lt;b&gt;strongly&lt;/b&gt;.");
    expect(mail?.html).toMatch(/<th [^>]*>Entry<\/th><td [^>]*>100\.00000<\/td>/);
  });

  it("has the links and headers that turn it off, and the id of the delivery", async () => {
    await accountChanged(3);
    const delivery = await database.deliveries.findOne({ channelId: channel._id }).lean();
    expect(delivery).toMatchObject({ status: "delivered", attempts: 1, error: null });
    const [mail] = smtp.mails;
    expect(mail?.headers.get("message-id")).toBe(`<${delivery?._id}@api.example.com>`);
    const [, header = ""] = /^<(\S+)>$/.exec(mail?.headers.get("list-unsubscribe") ?? "") ?? [];
    expect(mail?.headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    const [page = ""] = /https:\/\/app\.example\.com\/unsubscribe\S+/.exec(mail?.text ?? "") ?? [];
    for (const link of [new URL(header), new URL(page)]) {
      expect(link.pathname).toBe("/unsubscribe");
      const token = link.searchParams.get("token") ?? "";
      expect(secrets.readUnsubscribeToken(token)).toBe(String(channel._id));
    }
    expect(new URL(header).origin).toBe("https://api.example.com");
  });

  it("shows what happened to a signal, with its market and result", async () => {
    const [signal] = await createSignals(database, ann, {
      ...resolvedTrade({ at: stage.now(), outcome: "WIN", resolvedAt: stage.now() }),
    });
    const signal_id = String(signal?._id);
    const at = "2026-11-21T10:00:00.000Z";
    const won = await send("signal:outcome", { signal_id, outcome: "WIN", resolved_at: at });
    expect(won?.headers.get("subject")).toBe("WIN: BUY BTC/USDT 1h");
    expect(won?.text).toMatch(
      /Take profit: .*\nResult: \+2\.00 R\nExit: 104\.00000\nResolved: 21 November 2026 .*10:00 UTC/,
    );
    const left = await send("signal:entry-left", { signal_id, price: 103.5, at });
    expect(left?.headers.get("subject")).toBe("Entry missed: BUY BTC/USDT 1h");
    expect(left?.text).toContain("Price: 103.50000\n");
    await database.signals.deleteOne({ _id: signal?._id });
    const gone = await send("signal:outcome", { signal_id, outcome: "LOSS", resolved_at: at });
    expect(gone?.headers.get("subject")).toBe("LOSS: deleted signal");
  });

  it("shows administrators what waits for them, and escapes what users have typed", async () => {
    ann = await createUser(database, { role: "admin" });
    await createChannel(stage, ann, {
      url: "",
      kind: "email",
      target: secrets.seal({ kind: "email" }),
      events: ALL_EVENTS,
      afterAdminSeq: (await database.streamHeads.findById(ADMINS_STREAM).lean())?.seq ?? 0,
    });
    const submitted_at = "2026-11-21T10:00:00.000Z";
    await stage.addEvent(ADMINS_STREAM, "proof:submitted", {
      username: "bob",
      sender_name: '<script src="//x">',
      submitted_at,
      filename: "proof.png",
      url: "/payment_proofs/proof.png",
      plan: "trader" as const,
    });
    await stage.addEvent(ADMINS_STREAM, "budget:reached", {
      percent: 80,
      spent_usd: 8,
      budget_usd: 10,
    });
    await stage.deliverDue();
    expect(subjects()).toEqual(["New payment proof: bob", "80% of the AI budget is spent"]);
    expect(smtp.mails[0]?.html).toContain("&lt;script src=&quot;//x&quot;&gt;");
    expect(smtp.mails[0]?.link).toBe("https://app.example.com/admin/users");
  });

  it("sums up the messages of quiet hours", async () => {
    const night = { start: "22:00", end: "07:00", timeZone: "UTC" };
    await database.users.updateOne({ _id: ann._id }, { $set: { quietHours: night } });
    stage.setTime(new Date("2099-01-01T23:00:00Z"));
    await accountChanged(1);
    const id = await completeSignal({ valid_until: "2099-01-03T00:00:00.000Z" });
    await completeSignal();
    await stage.deliverDue();
    expect(smtp.mails).toEqual([]);
    stage.setTime(new Date("2099-01-02T07:00:00Z"));
    await stage.deliverDue();
    expect(subjects()).toEqual(["3 messages from your quiet hours"]);
    const [mail] = smtp.mails;
    expect(mail?.text).toContain("- Image credits changed. You have 1 image credit.\n");
    expect(mail?.text).toContain(
      `- BUY BTC/USDT: 1h, 72% stated confidence, not yet calibrated\n  https://app.example.com/signals/${id}\n`,
    );
    expect(mail?.text).toContain("1 older or expired messages are not listed.");
  });

  it("sends a test message", async () => {
    const test = { status: "retrying", attempts: 0, nextAttemptAt: stage.now() } as const;
    await createDelivery(database, channel, test);
    await database.channels.updateOne({ _id: channel._id }, { $set: { dueAt: stage.now() } });
    await stage.deliverDue();
    expect(subjects()).toEqual(["Test message"]);
  });

  it("retries a refused email with the same id, while later ones wait", async () => {
    smtp.behave("refuse-recipient");
    await accountChanged(1);
    await accountChanged(2);
    const [refused, ...others] = await database.deliveries.find({ channelId: channel._id }).lean();
    expect(refused).toMatchObject({ status: "retrying", responseStatus: 550 });
    expect(refused?.error).toBe("The mail server answered with 550.");
    expect(others).toEqual([]);
    smtp.behave("accept");
    stage.pass(6_000);
    await stage.deliverDue();
    expect(smtp.mails.map(({ text }) => /You have (\d)/.exec(text)?.[1])).toEqual(["1", "2"]);
    expect(idsOf()[0]).toBe(`<${refused?._id}@api.example.com>`);
    expect(idsOf()[1]).not.toBe(idsOf()[0]);
  });

  it("says that there is no mail server, without its address", async () => {
    await smtp.close();
    await accountChanged(1);
    const delivery = await database.deliveries.findOne({ channelId: channel._id }).lean();
    expect(delivery?.error).toMatch(/^The mail server could not be reached \(E[A-Z]+\)\.$/);
  });

  it("sends a message twice, with the same id, if its worker dies before it is recorded", async () => {
    await stage.addEvent(ann, "account:updated", {
      approved: true,
      role: "user",
      allow_image_upload: true,
      image_credits: 1,
      reason: "approved",
    });
    await database.channels.updateOne({ _id: channel._id }, { $set: { dueAt: stage.now() } });
    const [lease] = await stage.claim("worker that dies");
    if (!lease) throw new Error("Nothing was due.");
    const readTime = async () => {
      if (smtp.mails.length > 0) throw new Error("killed");
      return stage.now();
    };
    const { signal } = new AbortController();
    await expect(deliverChannel({ ...stage.deps, readTime }, lease, signal)).rejects.toThrow();
    stage.pass(LEASE_MS);
    await stage.deliverDue();
    expect(subjects()).toEqual(["Account approved", "Account approved"]);
    expect(new Set(idsOf()).size).toBe(1);
  });

  it("writes files if there is no mail server", async () => {
    const folder = await mkdtemp(join(tmpdir(), "outbox-"));
    const logger = createLogger({ service: "test", level: "silent" });
    await setUp(createFileMailer({ folder, from: FROM, logger, now: stage.now }));
    await accountChanged(1);
    const [file = ""] = await readdir(folder);
    const mail = await readMail(await readFile(join(folder, file), "utf8"), []);
    expect(mail.headers.get("subject")).toBe("Image credits changed");
    expect(mail.headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    await rm(folder, { recursive: true });
  });
});
