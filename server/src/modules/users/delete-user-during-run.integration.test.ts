import { signalAcceptedSchema, signalResponseSchema } from "@shared/contract/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { PUSH_WAIT } from "@shared/testing/api-client.ts";
import { createUser } from "@shared/testing/factories.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ApiClient, type LiveProduct, startLiveProduct } from "../../testing/start-live-server.ts";

const bitcoin = { symbol: "BTC/USDT", timeframe: "1h" };

/** Long enough for the user to be deleted in the meantime. */
const THINKING_MS = 1_500;

describe("deleting a user while a worker makes their signal", () => {
  let product: LiveProduct;
  let api: ApiClient;
  let root: UserRecord;
  beforeAll(async () => {
    product = await startLiveProduct();
    api = new ApiClient(product.server);
    root = await createUser(product.database, { username: "Root", role: "admin", approved: true });
  });
  afterAll(() => product.stop());

  it("stores nothing of theirs, and the analysis is there for others", async () => {
    const { database, openai, workers } = product;
    const ann = await createUser(database, { approved: true });
    const bob = await createUser(database, { approved: true });
    openai.behave({ kind: "advice", delayMs: THINKING_MS });
    const asked = await api.call("/get-signal", {
      method: "POST",
      user: ann,
      body: bitcoin,
      headers: { Prefer: "respond-async" },
    });
    const { signal_id } = signalAcceptedSchema.parse(asked.body);
    await vi.waitFor(() => expect(openai.chats).toHaveLength(1), PUSH_WAIT);
    expect(await api.post(root, `/admin/delete-user/${ann.username}`)).toMatchObject({
      status: 200,
    });
    const lines = () => workers[0]?.lines ?? [];
    await vi.waitFor(() => expect(lines().join()).toContain("analysis finished"), PUSH_WAIT);

    expect(await database.signals.findById(signal_id).lean()).toBeNull();
    expect(await database.events.countDocuments({ stream: userStream(ann._id) })).toBe(0);
    const others = await api.post(bob, "/get-signal", bitcoin);
    expect(signalResponseSchema.parse(others.body).status).toBe("completed");
    expect(lines().filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
  });
});
