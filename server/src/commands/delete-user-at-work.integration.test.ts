import { signalAcceptedSchema, signalResponseSchema } from "@shared/contract/signal.ts";
import type { Database } from "@shared/node/database.ts";
import type { UserRecord } from "@shared/node/models/user.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { ApiClient, jsonBody, PUSH_WAIT } from "@shared/testing/api-client.ts";
import { createUser } from "@shared/testing/factories.ts";
import { type SpawnedPart, spawnPart } from "@shared/testing/spawn-part.ts";
import { type StandInExchange, startStandInExchange } from "@shared/testing/stand-in-exchange.ts";
import { type StandInOpenAi, startStandInOpenAi } from "@shared/testing/stand-in-openai.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type LiveServer, startLiveServer, TEST_SECRETS } from "../testing/start-live-server.ts";

const bitcoin = { symbol: "BTC/USDT", timeframe: "1h" };

/** Long enough for the user to be deleted in the meantime. */
const THINKING_MS = 1_500;

describe("deleting a user while a worker makes a signal for him", () => {
  const uri = testDatabaseUri("at-work");
  let server: LiveServer;
  let database: Database;
  let worker: SpawnedPart;
  let exchange: StandInExchange;
  let openai: StandInOpenAi;
  let api: ApiClient;
  let root: UserRecord;
  beforeAll(async () => {
    server = await startLiveServer({ databaseUri: uri });
    database = server.database;
    api = new ApiClient(server);
    root = await createUser(database, { username: "Root", role: "admin", approved: true });
    exchange = await startStandInExchange();
    openai = await startStandInOpenAi();
    worker = await spawnPart("worker", {
      ...TEST_SECRETS,
      MONGODB_URI: uri,
      MARKET_DATA: "live",
      EXCHANGES: "binance",
      EXCHANGE_URL: exchange.url,
      OPENAI_API_KEY: "sk-test",
      OPENAI_BASE_URL: openai.baseUrl,
    });
  });
  afterAll(async () => {
    await Promise.all([worker.stop(), server.stop()]);
    await Promise.all([exchange.close(), openai.close()]);
  });

  it("stores nothing of theirs, and the analysis is there for others", async () => {
    const [ann, bob] = [
      await createUser(database, { approved: true }),
      await createUser(database, { approved: true }),
    ];
    openai.behave({ kind: "advice", delayMs: THINKING_MS });
    const asked = await api.call("/get-signal", {
      method: "POST",
      user: ann,
      body: jsonBody(bitcoin),
      headers: { Prefer: "respond-async" },
    });
    const { signal_id } = signalAcceptedSchema.parse(asked.body);
    await vi.waitFor(() => expect(openai.chats).toHaveLength(1), PUSH_WAIT);
    expect(await api.post(root, `/admin/delete-user/${ann.username}`)).toMatchObject({
      status: 200,
    });
    await vi.waitFor(() => expect(worker.lines.join()).toContain("analysis finished"), PUSH_WAIT);

    expect(await database.signals.findById(signal_id).lean()).toBeNull();
    expect(await database.events.countDocuments({ stream: userStream(ann._id) })).toBe(0);
    const others = await api.post(bob, "/get-signal", jsonBody(bitcoin));
    expect(signalResponseSchema.parse(others.body).status).toBe("completed");
    expect(worker.lines.filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
  });
});
