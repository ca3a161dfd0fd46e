import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { pngBomb } from "@shared/testing/images.ts";
import {
  freePort,
  type SpawnedService,
  spawnService,
  watchResidentMib,
} from "@shared/testing/spawn-service.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

const secrets = {
  JWT_SECRET: "a test secret of more than 32 characters",
  ADMIN_PASSWORD: "correct horse",
};
const settings = loadSettings(secrets);

/** Of the server and its decoders together. */
const MAX_MIB = 600;

type Route = "proof" | "chart";
const ROUTES: readonly Route[] = ["proof", "chart"];

describe.runIf(process.platform === "linux")("a server that is sent costly pictures", () => {
  const uri = testDatabaseUri();
  let database: Database;
  let server: SpawnedService;
  let url: string;
  let stopWatching: () => Promise<number>;

  beforeAll(async () => {
    database = await openDatabase({ uri });
  });
  afterAll(() => database.close());

  beforeEach(async () => {
    const port = await freePort();
    url = `http://localhost:${port}`;
    const env = { ...secrets, MONGODB_URI: uri, API_PORT: String(port), RATE_LIMIT: "off" };
    server = await spawnService("server", env);
    stopWatching = watchResidentMib(server.pid);
  });
  afterEach(async () => {
    await stopWatching();
    await server.kill();
  });

  const trader = () =>
    createUser(database, { approved: true, allowImageUpload: true, imageCredits: 1_000 });
  const formOf = (
    route: Route,
    picture: Buffer,
  ): { path: string; form: Record<string, string | Buffer> } =>
    route === "proof"
      ? { path: "/submit-payment-proof", form: { sender_name: "Ann", proof_image: picture } }
      : {
          path: "/get-signal-with-image",
          form: { symbol: "BTC/USDT", timeframe: "1h", chart_image: picture },
        };
  const send = async (user: UserRecord, { route, picture }: { route: Route; picture: Buffer }) => {
    const { path, form } = formOf(route, picture);
    const response = await fetch(url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${signTokenFor(user, settings)}`,
        prefer: "respond-async",
      },
      body: multipartForm(form),
    });
    const body: unknown = await response.json();
    return { status: response.status, body };
  };

  it.each(ROUTES)(
    "refuses a %s of 40,000,000 × 1 pixels, and takes no memory for it",
    async (route) => {
      const picture = pngBomb(40_000_000, 1, { depth: 8, samples: 3 });
      const { status, body } = await send(await trader(), { route, picture });
      expect(status).toBe(413);
      expect(body).toMatchObject({
        code: "file-too-large",
        detail: "The image is too long. Use at most 20,000 pixels on each side.",
      });
      expect(await stopWatching()).toBeLessThan(MAX_MIB);
    },
  );
});
