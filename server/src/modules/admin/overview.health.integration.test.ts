import { type SystemHealth, setupSchema, systemHealthSchema } from "@shared/contract/admin.ts";
import type { WorkerStatusRecord } from "@shared/database/models/worker-reports.ts";
import { productVersion } from "@shared/runtime/settings.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const NOW = new Date();
const secondsAgo = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);

describe("GET /admin/health", () => {
  let server: TestServer;
  let token = "";
  let feedIsRunning = true;
  beforeAll(async () => {
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      overrides: { now: () => NOW, feedIsRunning: () => feedIsRunning },
    });
    const admin = await createUser(server.database, { role: "admin", approved: true });
    token = signTokenFor(admin, server.deps.settings);
  });
  beforeEach(async () => {
    feedIsRunning = true;
    await server.database.workerStatuses.deleteMany();
    await server.database.signals.deleteMany();
  });
  afterAll(() => server.stop());

  const worker = (id: string, fields: Partial<WorkerStatusRecord> = {}): WorkerStatusRecord => ({
    _id: id,
    marketData: "live",
    analyst: "openai",
    concurrency: 50,
    providers: [],
    startedAt: secondsAgo(600),
    seenAt: secondsAgo(3),
    ...fields,
  });
  const read = async (): Promise<SystemHealth> => {
    const answer = await server.call("/admin/health", { token });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    return systemHealthSchema.strict().parse(await answer.json());
  };

  it("shows an idle system without a worker as what it is", async () => {
    expect(await read()).toEqual({
      checked_at: NOW.toISOString(),
      problems: ["no-worker"],
      queue: { waiting: 0, running: 0, oldest_waiting_seconds: 0 },
      workers: [],
      models: [],
      prices: { websocket: 0, polling: 0, fallback: 0 },
      server: { event_feed: "running", version: productVersion() },
    });
  });

  it("shows the models of the workers with their faults, and asks for one test at a time", async () => {
    const { modelServers, workerStatuses } = server.database;
    const request = () => server.call("/admin/test-model", { method: "POST", token });
    expect((await request()).status).toBe(503);
    const named = { address: "https://models.example/v1", model: "m" };
    await modelServers.create([
      {
        ...named,
        _id: "used",
        accepts: {
          responseFormat: "text",
          tokenLimit: "max_tokens",
          leftOut: [],
          learnedAt: secondsAgo(60),
        },
        listing: { notices: ["It ends."], checkedAt: secondsAgo(60) },
        fault: { message: "openai: check OPENAI_MODEL", at: secondsAgo(5) },
      },
      { ...named, _id: "former" },
    ]);
    await workerStatuses.create([worker("a", { modelServer: "used" }), worker("b")]);
    const before = await read();
    expect(before.problems).toEqual(["model"]);
    expect(before.models).toMatchObject([
      {
        ...named,
        accepts: { response_format: "text", token_limit: "max_tokens", left_out: [] },
        notices: ["It ends."],
        fault: { detail: "openai: check OPENAI_MODEL" },
        test: null,
      },
    ]);
    expect((await request()).status).toBe(202);
    const [asked] = (await read()).models;
    expect(asked?.test).toMatchObject({ result: null });
    expect((await request()).status).toBe(202);
    expect((await read()).models).toEqual([asked]);
    expect(await modelServers.findById("former").lean()).not.toHaveProperty("test");
    await modelServers.deleteMany();
  });

  it("counts what waits and runs, and says for how long the oldest has waited", async () => {
    const user = await createUser(server.database);
    await createSignals(server.database, user, { status: "queued", createdAt: secondsAgo(12) });
    await createSignals(server.database, user, { status: "queued", createdAt: secondsAgo(95) });
    await createSignals(server.database, user, { status: "running", createdAt: secondsAgo(300) });
    await createSignals(server.database, user, { count: 4 });
    const { queue, problems } = await read();
    expect(queue).toEqual({ waiting: 2, running: 1, oldest_waiting_seconds: 95 });
    expect(problems).toContain("backlog");
  });

  it("lists the active workers with their sources and the health of their providers", async () => {
    await server.database.workerStatuses.insertMany([
      worker("young", { startedAt: secondsAgo(5), marketData: "replay", analyst: "rules" }),
      worker("old", {
        providers: [
          { provider: "binance", state: "ok", lastSuccessAt: secondsAgo(4), lastFailure: null },
          {
            provider: "kraken",
            state: "resting",
            lastSuccessAt: null,
            lastFailure: { failure: "timeout", at: secondsAgo(9) },
          },
        ],
      }),
      worker("gone", { seenAt: secondsAgo(31) }),
    ]);
    const { workers, problems } = await read();
    expect(problems).toContain("provider-failing");
    expect(workers.map(({ id }) => id)).toEqual(["old", "young"]);
    expect(workers[0]).toEqual({
      id: "old",
      started_at: secondsAgo(600).toISOString(),
      seen_at: secondsAgo(3).toISOString(),
      concurrency: 50,
      market_data: "live",
      analyst: "openai",
      providers: [
        {
          provider: "binance",
          state: "ok",
          last_success_at: secondsAgo(4).toISOString(),
          last_failure: null,
          paused_until: null,
        },
        {
          provider: "kraken",
          state: "resting",
          last_success_at: null,
          last_failure: { failure: "timeout", at: secondsAgo(9).toISOString() },
          paused_until: null,
        },
      ],
    });
    expect(workers[1]).toMatchObject({ market_data: "replay", analyst: "rules", providers: [] });
  });

  it("says until when a provider that demanded it is left alone, whichever worker knows of it", async () => {
    const report = { provider: "binance", lastSuccessAt: null, lastFailure: null };
    const providers = [{ ...report, state: "ok" as const }];
    await server.database.workerStatuses.insertMany([worker("w", { providers })]);
    const until = new Date(Date.now() + 600_000);
    const over = new Date(Date.now() - 1_000);
    await server.database.providerPauses.insertMany([
      { _id: "binance", until, trialUntil: over },
      { _id: "okx", until: over, trialUntil: over },
    ]);
    const { workers, problems } = await read();
    expect(problems).toContain("provider-failing");
    expect(workers[0]?.providers).toMatchObject([
      { provider: "binance", state: "resting", paused_until: until.toISOString() },
    ]);
  });

  it("owns up to an interrupted event feed", async () => {
    feedIsRunning = false;
    const { server: state, problems } = await read();
    expect(state.event_feed).toBe("interrupted");
    expect(problems).toContain("feed-interrupted");
  });

  it("checks payment details, workers, email and the caller's second factor for the setup", async () => {
    const setup = async () => {
      const answer = await server.call("/admin/setup", { token });
      return setupSchema.strict().parse(await answer.json());
    };
    expect(await setup()).toEqual({
      payment_details: "missing",
      contact: "missing",
      analyst: "no-worker",
      market_data: "no-worker",
      email: "no-server",
      two_factor: "off",
    });
    const resting = { provider: "okx", state: "resting" as const };
    const providers = [{ ...resting, lastSuccessAt: null, lastFailure: null }];
    const { workerStatuses } = server.database;
    await workerStatuses.insertMany([worker("w", { analyst: "rules", providers })]);
    const json = { paypal_details: "pay@me" };
    await server.call("/admin/update-payment-details", { method: "POST", token, json });
    const found = { payment_details: "done", analyst: "no-key", market_data: "failing" };
    expect(await setup()).toMatchObject(found);
    await workerStatuses.updateOne({ _id: "w" }, { marketData: "replay", analyst: "openai" });
    expect(await setup()).toMatchObject({ analyst: "done", market_data: "demo-data" });
    await workerStatuses.updateOne({ _id: "w" }, { marketData: "live", providers: [] });
    expect(await setup()).toMatchObject({ market_data: "done" });
  });
});
