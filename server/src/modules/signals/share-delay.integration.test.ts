import { MINUTE_MS } from "@shared/contract/constants.ts";
import {
  sharedSignalSchema,
  shareLinkSchema,
  signalProgressSchema,
  withheldSignalSchema,
} from "@shared/contract/resolution.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { createSignals, pendingTrade, resolvedTrade } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const madeAt = new Date();
const LEVELS = ["98", "104", "BUY", "rationale"];

describe("an open trade that is shared", () => {
  let now = madeAt;
  let afterOutcome: TestServer;
  let afterHalfAnHour: TestServer;
  let ann: UserRecord;
  let token: string;

  beforeAll(async () => {
    const options = { databaseUri: testDatabaseUri(), overrides: { now: () => now } };
    afterOutcome = await startTestServer(options);
    const environment = { SHARE_DELAY_MINUTES: "30" };
    afterHalfAnHour = await startTestServer({ ...options, environment });
    ann = await createUser(afterOutcome.database, { approved: true });
    token = signTokenFor(ann, afterOutcome.deps.settings);
  });
  afterAll(() => Promise.all([afterOutcome.stop(), afterHalfAnHour.stop()]));

  const store = async (signal: Parameters<typeof createSignals>[2]): Promise<SignalRecord> => {
    const [stored] = await createSignals(afterOutcome.database, ann, signal);
    if (!stored) throw new Error("no signal was stored");
    return stored;
  };
  const share = async ({ _id }: SignalRecord): Promise<string> => {
    const answer = await afterOutcome.call(`/signals/${_id}/share`, { method: "POST", token });
    return `/shared/${shareLinkSchema.parse(await answer.json()).token}`;
  };
  const sharedFrom = async (server: TestServer, { _id }: SignalRecord) => {
    const answer = await server.call(`/signals/${_id}/since`, { token });
    return signalProgressSchema.parse(await answer.json()).shared_from;
  };

  it("shows its market only until its outcome, unless the operator says otherwise", async () => {
    now = madeAt;
    const signal = await store(pendingTrade({ at: madeAt }));
    const path = await share(signal);
    const text = await (await afterOutcome.call(path)).text();
    const created_at = madeAt.toISOString();
    const { symbol, timeframe } = signal;
    expect(JSON.parse(text)).toEqual({ symbol, timeframe, created_at, shared_from: "outcome" });
    // Digits of the time may be those of a level.
    const rest = text.replace(created_at, "");
    for (const level of LEVELS) expect(rest).not.toContain(level);
    expect(await sharedFrom(afterOutcome, signal)).toBe("outcome");
    const image = await afterOutcome.call(`${path}/image.png`);
    expect(image.headers.get("content-type")).toBe("image/png");
  });

  it("is shown as soon as it has an outcome", async () => {
    const signal = await store(resolvedTrade({ at: madeAt, outcome: "WIN", resolvedAt: madeAt }));
    const answer = await afterOutcome.call(await share(signal));
    const { analysis, judgement } = sharedSignalSchema.parse(await answer.json());
    expect(analysis).toMatchObject({ final_signal: "BUY", entry: 100 });
    expect(judgement?.outcome).toBe("WIN");
    expect(await sharedFrom(afterOutcome, signal)).toBe("now");
  });

  it("is shown from the time on that the operator has set", async () => {
    now = madeAt;
    const signal = await store(pendingTrade({ at: madeAt }));
    const path = await share(signal);
    const withheld = await (await afterHalfAnHour.call(path)).json();
    const from = new Date(madeAt.getTime() + 30 * MINUTE_MS).toISOString();
    expect(withheldSignalSchema.parse(withheld).shared_from).toBe(from);
    expect(await sharedFrom(afterHalfAnHour, signal)).toBe(from);
    now = new Date(from);
    const shown = await (await afterHalfAnHour.call(path)).json();
    expect(sharedSignalSchema.parse(shown).analysis.stop_loss).toBe(98);
  });

  it("is not a WAIT, which is shown at once", async () => {
    const answer = await afterOutcome.call(await share(await store({ status: "completed" })));
    expect(sharedSignalSchema.parse(await answer.json()).analysis.final_signal).toBe("WAIT");
  });
});
