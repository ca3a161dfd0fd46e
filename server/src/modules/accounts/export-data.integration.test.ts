import { createHash } from "node:crypto";
import { fileStore } from "@shared/database/file-bytes.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { plainImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const imageSchema = z.object({
  filename: z.string(),
  content_type: z.string(),
  size: z.number(),
  image: z.string().nullable(),
  url: z.string().optional(),
});
const exportSchema = z.object({
  account: z.object({ quiet_hours: z.unknown() }),
  payment_proofs: z.array(imageSchema),
  chart_images: z.array(imageSchema),
});

describe("the copy of a user's data", () => {
  let server: TestServer;
  let ann: UserRecord;
  beforeAll(async () => {
    server = await startTestServer({
      databaseUri: testDatabaseUri(),
      environment: { RATE_LIMIT: "off" },
    });
  });
  beforeEach(async () => {
    ann = await createUser(server.database);
  });
  afterAll(() => server.stop());

  const tokenOf = (user: UserRecord) => signTokenFor(user, server.deps.settings);
  const readCopy = async () => {
    const response = await server.call("/me/data", { token: tokenOf(ann) });
    const text = await response.text();
    return { bytes: text.length, data: exportSchema.parse(JSON.parse(text)) };
  };
  const submitProof = async (as = ann) => {
    const proof_image = await plainImage().png().toBuffer();
    const body = multipartForm({ sender_name: "Ann", proof_image });
    await server.call("/submit-payment-proof", { method: "POST", token: tokenOf(as), body });
  };
  const addChart = async (bytes: Buffer, day: number) => {
    const { database } = server;
    const id = new Types.ObjectId();
    const filename = `${createHash("md5").update(id.toString()).digest("hex")}.png`;
    await fileStore(database, "chart_uploads").save({ id, filename, bytes });
    await database.chartImages.create({
      _id: id,
      userId: ann._id,
      username: ann.username,
      filename,
      contentType: "image/png",
      size: bytes.length,
      signalId: new Types.ObjectId(),
      createdAt: new Date(Date.UTC(2026, 0, day)),
    });
    return filename;
  };

  it("has the quiet hours with their time zone", async () => {
    expect((await readCopy()).data.account.quiet_hours).toBeNull();
    const quietHours = { start: "22:00", end: "07:00", timeZone: "Asia/Tokyo" };
    await server.database.users.updateOne({ _id: ann._id }, { $set: { quietHours } });
    expect((await readCopy()).data.account.quiet_hours).toEqual({
      start: "22:00",
      end: "07:00",
      time_zone: "Asia/Tokyo",
    });
  });

  it("has the user's images, which open in a browser, and none of others", async () => {
    await submitProof(await createUser(server.database));
    await submitProof();
    const chart = await plainImage().png().toBuffer();
    await addChart(chart, 1);
    const { payment_proofs: proofs, chart_images: charts } = (await readCopy()).data;
    expect([proofs.length, charts.length]).toEqual([1, 1]);
    for (const { image, size } of [...proofs, ...charts]) {
      expect(image).toMatch(/^data:image\/png;base64,/);
      const bytes = await (await fetch(image ?? "")).arrayBuffer();
      expect(bytes.byteLength).toBe(size);
    }
    expect(charts[0]?.image).toBe(`data:image/png;base64,${chart.toString("base64")}`);
  });

  it("has a bounded size: the newest images, and addresses of the others that open them", async () => {
    const names: string[] = [];
    for (const day of [1, 2, 3, 4, 5])
      names.push(await addChart(Buffer.alloc(4_000_000, day), day));
    const { bytes, data } = await readCopy();
    expect(bytes).toBeLessThan(21_000_000);
    expect(data.chart_images.map(({ filename }) => filename)).toEqual(names.toReversed());
    expect(data.chart_images.map(({ image }) => image !== null)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    for (const { url } of data.chart_images.slice(3)) {
      const { pathname, search } = new URL(url ?? "");
      expect((await server.call(pathname + search)).status).toBe(200);
    }
  });

  it("is complete if an image is gone", async () => {
    const filename = await addChart(Buffer.from("gone"), 1);
    const { _id } = (await server.database.chartImages.findOne({ filename }).lean()) ?? {};
    if (_id) await fileStore(server.database, "chart_uploads").remove([_id]);
    expect((await readCopy()).data.chart_images).toMatchObject([{ filename, image: null }]);
  });
});
