import { type Database, openDatabase } from "@shared/database/database.ts";
import { pngBomb } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  MAX_SERVER_MIB,
  startServerForUploads,
  UPLOAD_KINDS,
} from "../../testing/uploading-users.ts";

describe.runIf(process.platform === "linux")("a server that is sent costly pictures", () => {
  const uri = testDatabaseUri();
  let database: Database;
  let server: Awaited<ReturnType<typeof startServerForUploads>>;

  beforeAll(async () => {
    database = await openDatabase({ uri });
    server = await startServerForUploads(database, uri);
  });
  afterAll(async () => {
    await server.stop();
    await database.close();
  });

  it("refuses a proof and a chart of 40,000,000 × 1 pixels, and takes no memory for them", async () => {
    const picture = pngBomb(40_000_000, 1, { depth: 8, samples: 3 });
    for (const kind of UPLOAD_KINDS) {
      const { status, body } = await server.upload(await server.createTrader(), kind, picture);
      expect(status, kind).toBe(413);
      expect(body).toMatchObject({
        code: "file-too-large",
        detail: "The image is too long. Use at most 20,000 pixels on each side.",
      });
    }
    expect(await server.peakMib()).toBeLessThan(MAX_SERVER_MIB);
  });
});
