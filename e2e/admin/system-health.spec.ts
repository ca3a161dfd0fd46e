import type { SystemHealth } from "@shared/contract/admin.ts";
import { expect, type Page } from "playwright/test";
import { test } from "../support/test.ts";
import { openAdmin } from "../support/users.ts";

const section = (page: Page) => page.getByRole("region", { name: "System health" });

test("an administrator sees the worker that makes the signals, and what it uses", async ({
  page,
}) => {
  await openAdmin(page);
  const health = section(page);
  await expect(health.getByText("All systems operational")).toBeVisible();
  await expect(health.getByText("Demo data")).toBeVisible();
  await expect(health.getByText("Uses no live provider.")).toBeVisible();
});

test("a system without a worker says so plainly, and recovers before the reader's eyes", async ({
  page,
}) => {
  const down: SystemHealth = {
    checked_at: new Date().toISOString(),
    queue: { waiting: 3, running: 0, oldest_waiting_seconds: 75 },
    workers: [],
    server: { event_feed: "running", version: "0.1.0" },
  };
  const cors = { "Access-Control-Allow-Origin": "*" };
  await page.route("**/admin/health", (route) => route.fulfill({ json: down, headers: cors }));
  await openAdmin(page);
  const health = section(page);
  await expect(health.getByText("Major outage")).toBeVisible();
  await expect(health.getByText("No active workers")).toBeVisible();
  await expect(health.getByText("1 min 15 s", { exact: true })).toBeVisible();
  await page.unroute("**/admin/health");
  await expect(health.getByText("All systems operational")).toBeVisible();
});
