import { type Database, openDatabase } from "@shared/database/database.ts";
import { FILE_KINDS, fileStore } from "@shared/database/file-bytes.ts";
import { chartImage, receiptImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUpFiles, newFilename } from "./file-store.ts";

describe("the cleanup of stored bytes", () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());

  const minutesFromNow = (minutes: number) => () => new Date(Date.now() + minutes * 60_000);

  it.each(FILE_KINDS)("removes bytes of %s without a document after an hour", async (kind) => {
    const store = fileStore(database, kind);
    const id = new Types.ObjectId();
    const bytes = await chartImage(1).png().toBuffer();
    await store.save({ id, filename: newFilename("image/png"), bytes });
    await cleanUpFiles({ database, now: minutesFromNow(59) });
    expect((await store.read(id))?.equals(bytes)).toBe(true);
    await cleanUpFiles({ database, now: minutesFromNow(62) });
    expect(await store.read(id)).toBeNull();
    expect(await database.connection.collection(`${kind}.chunks`).countDocuments()).toBe(0);
  });

  it("removes what an upload left when its server crashed", async () => {
    const chunks = database.connection.collection("chart_uploads.chunks");
    const files_id = new Types.ObjectId();
    await chunks.insertMany([0, 1, 2].map((n) => ({ files_id, n, data: Buffer.alloc(1_000) })));
    await cleanUpFiles({ database, now: minutesFromNow(62) });
    expect(await chunks.countDocuments({ files_id })).toBe(0);
  });

  it("keeps payment proofs, however old they are", async () => {
    const store = fileStore(database, "payment_proofs");
    const _id = new Types.ObjectId();
    const bytes = await receiptImage("482915730164").png().toBuffer();
    const filename = newFilename("image/png");
    await store.save({ id: _id, filename, bytes });
    await database.paymentProofs.create({
      _id,
      filename,
      userId: new Types.ObjectId(),
      senderName: "Ann",
      contentType: "image/png",
      size: bytes.length,
      createdAt: new Date(),
    });
    expect(await cleanUpFiles({ database, now: minutesFromNow(400 * 24 * 60) })).toBe(0);
    expect((await store.read(_id))?.equals(bytes)).toBe(true);
  });

  it("does nothing if nothing is outdated", async () => {
    expect(await cleanUpFiles({ database, now: () => new Date() })).toBe(0);
  });
});
