import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort, spawnService } from "@shared/testing/spawn-service.ts";
import { expect } from "playwright/test";
import { ADMIN } from "../support/api.ts";
import { apiUrl, clientUrl, product } from "../support/config.ts";
import { test } from "../support/test.ts";

/** A server and a worker of their own, with an empty database, as `npm start` starts them for a demo. */
async function startDemo() {
  const uri = new URL(await readFile(join(product.dataDir, "mongo-address"), "utf8"));
  uri.pathname = "/demo-record";
  const port = await freePort();
  const env = { MONGODB_URI: uri.href, MARKET_DATA: "replay", DEMO_RECORD: "on" };
  const services = await Promise.all([
    spawnService("server", {
      ...env,
      API_PORT: String(port),
      CLIENT_ORIGIN: clientUrl,
      ADMIN_USERNAME: ADMIN.username,
      ADMIN_PASSWORD: ADMIN.password,
    }),
    spawnService("worker", env),
  ]);
  return {
    url: `http://localhost:${port}`,
    stop: () => Promise.all(services.map((service) => service.stop())),
  };
}

test("a demo shows a record of the past to its first visitor, and says what it is", async ({
  page,
}) => {
  test.setTimeout(180_000);
  const demo = await startDemo();
  try {
    await page.route(`${apiUrl}/**`, (route) =>
      route.continue({ url: route.request().url().replace(apiUrl, demo.url) }),
    );
    const label = page.getByText("Demo record, from recorded candles").first();
    await page.goto("/performance");
    const metrics = page.getByRole("region", { name: "Key metrics" });
    await expect(metrics).toBeVisible({ timeout: 150_000 });
    await expect(label).toBeVisible();
    await expect(page.getByLabel("Record")).toHaveValue("replay");
    await page.goto("/ledger");
    await expect(label).toBeVisible();
  } finally {
    await demo.stop();
  }
});
