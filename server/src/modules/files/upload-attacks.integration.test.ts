import { type Database, openDatabase } from "@shared/database/database.ts";
import { pngBomb } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
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
  });
  afterAll(() => database.close());

  beforeEach(async () => {
    server = await startServerForUploads(database, uri);
  });
  afterEach(() => server.stop());

  it.each(UPLOAD_KINDS)(
    "refuses a %s of 40,000,000 × 1 pixels, and takes no memory for it",
    async (kind) => {
      const picture = pngBomb(40_000_000, 1, { depth: 8, samples: 3 });
      const { status, body } = await server.upload(await server.createTrader(), kind, picture);
      expect(status).toBe(413);
      expect(body).toMatchObject({
        code: "file-too-large",
        detail: "The image is too long. Use at most 20,000 pixels on each side.",
      });
      expect(await server.peakMib()).toBeLessThan(MAX_SERVER_MIB);
    },
  );
});
