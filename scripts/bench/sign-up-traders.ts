import type { Database } from "@shared/node/database.ts";
import { loadSettings } from "@shared/node/settings.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { PushClient } from "@shared/testing/push-client.ts";
import type { BenchTrader } from "./measure-pipeline.ts";

/** New approved traders, each with a token and an open socket. */
export async function signUpTraders(options: {
  database: Database;
  apiUrl: string;
  jwtSecret: string;
  count: number;
}): Promise<BenchTrader[]> {
  const { database, apiUrl, jwtSecret, count } = options;
  const settings = loadSettings({ JWT_SECRET: jwtSecret, ADMIN_PASSWORD: "not used" });
  return Promise.all(
    Array.from({ length: count }, async () => {
      const user = await createUser(database, { approved: true });
      const token = signTokenFor(user, settings);
      const push = new PushClient({ url: apiUrl, token, since: { user: 0 } });
      await new Promise<void>((resolve) => push.socket.once("connect", resolve));
      return { token, push };
    }),
  );
}
