import { paymentDetailsSchema } from "@shared/contract/payment.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { PUSH_WAIT, type PushClient } from "@shared/testing/api-client.ts";
import { createUser } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ApiClient, type LiveServer, startLiveServer } from "../../testing/start-live-server.ts";

const NOTHING = {
  bank_details_1: "",
  bank_details_2: "",
  bank_details_3: "",
  paypal_details: "",
  skrill_details: "",
  wise_details: "",
};
const EVERYTHING = {
  bank_details_1: "EasyPesa 0300 1234567",
  bank_details_2: "JazzCash 0301 7654321",
  bank_details_3: "IBAN DE02\n1203 0000 0000 2020 51",
  paypal_details: "pay@example.com",
  skrill_details: "skrill@example.com",
  wise_details: "Zoë’s Wise account 🚀",
};

describe("payment details", () => {
  let server: LiveServer;
  let database: Database;
  let api: ApiClient;
  let root: UserRecord;
  let admins: PushClient;
  beforeAll(async () => {
    server = await startLiveServer({ databaseUri: testDatabaseUri() });
    database = server.database;
    api = new ApiClient(server);
    root = await createUser(database, { username: "Root", role: "admin", approved: true });
    admins = await api.connect(root);
  });
  afterEach(async () => {
    await database.paymentDetails.deleteMany();
    await database.events.deleteMany({ name: "payment-details:updated" });
  });
  afterAll(async () => {
    api.close();
    await server.stop();
  });

  const read = async () => {
    const { status, body } = await api.call("/payment-details");
    expect(status).toBe(200);
    return paymentDetailsSchema.strict().parse(body);
  };
  const update = (details: unknown) => api.post(root, "/admin/update-payment-details", details);
  const countTold = () => database.events.countDocuments({ name: "payment-details:updated" });

  it("are six empty texts at first, for everybody to read", async () => {
    expect(await read()).toEqual(NOTHING);
  });

  it("are what the administrator wrote, and the other admins see it at once", async () => {
    expect(await update(EVERYTHING)).toEqual({
      status: 200,
      body: { detail: "The payment details are saved." },
    });
    expect(await read()).toEqual(EVERYTHING);
    await vi.waitFor(() => {
      const [event] = admins.named("payment-details:updated").slice(-1);
      expect(event).toMatchObject({ stream: "admins", data: EVERYTHING });
    }, PUSH_WAIT);
  });

  it("keep what is left out, and can be emptied", async () => {
    await update(EVERYTHING);
    await update({ paypal_details: "" });
    expect(await read()).toEqual({ ...EVERYTHING, paypal_details: "" });
  });

  it("are not published again when nothing is new", async () => {
    await update(EVERYTHING);
    expect(await update(EVERYTHING)).toMatchObject({ status: 200 });
    expect(await update({})).toMatchObject({ status: 200 });
    expect(await countTold()).toBe(1);
  });

  it("take a form too, and texts of up to 2,000 characters", async () => {
    const wise_details = "x".repeat(2_000);
    const form = new URLSearchParams({ wise_details });
    expect(await api.post(root, "/admin/update-payment-details", form)).toMatchObject({
      status: 200,
    });
    expect(await read()).toEqual({ ...NOTHING, wise_details });
  });

  it.each([
    ["a text that is too long", { wise_details: "x".repeat(2_001) }],
    ["a number", { wise_details: 5 }],
    ["null", { wise_details: null }],
    ["an operator", { wise_details: { $set: "x" } }],
  ])("refuse %s and stay as they are", async (_, wrong) => {
    await update(EVERYTHING);
    expect(await update({ paypal_details: "new", ...wrong })).toMatchObject({
      status: 422,
      body: {
        code: "invalid-input",
        errors: [expect.objectContaining({ field: "wise_details" })],
      },
    });
    expect(await read()).toEqual(EVERYTHING);
    expect(await countTold()).toBe(1);
  });

  it("are all there when several administrators write different ones at the same moment", async () => {
    const fields = Object.entries(EVERYTHING);
    await Promise.all(fields.map(([field, text]) => update({ [field]: text })));
    expect(await read()).toEqual(EVERYTHING);
    expect(await countTold()).toBe(6);
  });

  it("are changed by administrators only", async () => {
    const user = await createUser(database, { approved: true });
    const path = "/admin/update-payment-details";
    const request = { method: "POST", body: EVERYTHING };
    expect(await api.call(path, request)).toMatchObject({ status: 401 });
    expect(await api.post(user, path, EVERYTHING)).toMatchObject({
      status: 403,
      body: { code: "not-admin" },
    });
    expect(await read()).toEqual(NOTHING);
  });
});
