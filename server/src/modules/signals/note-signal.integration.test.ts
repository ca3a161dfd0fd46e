import { MAX_NOTE_LENGTH } from "@shared/contract/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser } from "@shared/testing/factories.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ApiClient } from "../../testing/start-live-server.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

describe("a note on a signal", () => {
  let server: TestServer;
  let api: ApiClient;
  let ann: UserRecord;
  let id: string;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
    api = new ApiClient({ url: server.url, settings: server.deps.settings });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    ann = await createUser(server.database, { approved: true });
    await createSignals(server.database, ann, {});
    const signal = await server.database.signals.findOne({ userId: ann._id }).orFail().lean();
    id = signal._id.toString();
  });

  const write = (user: UserRecord, note: unknown) =>
    api.call(`/signals/${id}/note`, { method: "PUT", user, body: { note } });
  const readHistory = async () => (await api.call("/signal-history", { user: ann })).body;

  it("is in the history and on the page of the signal, without the blanks around it", async () => {
    expect(await write(ann, " Too early again\n")).toMatchObject({
      status: 200,
      body: { note: "Too early again" },
    });
    expect(await readHistory()).toMatchObject({ signals: [{ id, note: "Too early again" }] });
    const { body } = await api.call(`/signals/${id}`, { user: ann });
    expect(body).toMatchObject({ note: "Too early again" });
  });

  it("is deleted by an empty one", async () => {
    await write(ann, "Too early again");
    expect(await write(ann, "  ")).toMatchObject({ status: 200, body: { note: "" } });
    expect(JSON.stringify(await readHistory())).not.toContain('"note"');
  });

  it("is not shown by a shared signal", async () => {
    await write(ann, "My broker is Acme");
    const { body } = await api.call(`/signals/${id}/share`, { method: "POST", user: ann });
    const { token } = JSON.parse(JSON.stringify(body));
    const shared = await api.call(`/shared/${token}`, {});
    expect(shared.status).toBe(200);
    expect(JSON.stringify(shared.body)).not.toContain("Acme");
  });

  it("is written by the owner of the signal only", async () => {
    const ben = await createUser(server.database, { approved: true });
    expect(await write(ben, "Mine")).toMatchObject({ status: 404, body: { code: "not-found" } });
    expect(JSON.stringify(await readHistory())).not.toContain('"note"');
  });

  it.each([["x".repeat(MAX_NOTE_LENGTH + 1)], [7], [{ $set: 1 }], [null]])(
    "refuses %j",
    async (note) => {
      const answer = await write(ann, note);
      expect(answer).toMatchObject({ status: 422, body: { code: "invalid-input" } });
    },
  );
});
