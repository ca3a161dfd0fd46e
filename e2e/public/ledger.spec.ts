import { readFile } from "node:fs/promises";
import type { LedgerEntry } from "@shared/contract/ledger.ts";
import { makeLedger } from "@shared/testing/ledger-factory.ts";
import { expect } from "playwright/test";
import { test } from "../support/test.ts";

const entries = makeLedger([
  { kind: "analysis", revealed: true },
  { kind: "analysis", revealed: true, figures: { symbol: "ETH/USDT" } },
  { kind: "outcome", of: 1, outcome: "WIN" },
  { kind: "outcome", of: 2, outcome: "LOSS" },
  { kind: "analysis", revealed: false },
]);
const asText = (ledger: readonly LedgerEntry[]): string =>
  ledger.map((entry) => `${JSON.stringify(entry)}\n`).join("");

test("a visitor finds the ledger from every page's end, and its saved verifier works from disk, without a network", async ({
  page,
  browser,
}) => {
  await page.goto("/pricing");
  await page.getByRole("link", { name: "Ledger" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Ledger" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Newest records" })).toBeVisible();
  const saving = page.waitForEvent("download");
  await page.getByRole("link", { name: "Save the offline verifier" }).click();
  const html = await readFile(await (await saving).path(), "utf8");
  const offline = await browser.newPage({ offline: true });
  await offline.setContent(html);
  const choose = (text: string) =>
    offline
      .getByLabel("The downloaded ledger")
      .setInputFiles({ name: "l.ndjson", mimeType: "text/plain", buffer: Buffer.from(text) });
  await choose(asText(entries));
  await expect(offline.getByText("Intact: 5 records.")).toBeVisible();
  await offline.getByLabel(/fingerprint/).fill(`9:${"0".repeat(64)}`);
  await choose(asText(entries));
  await expect(offline.getByText(/Not intact. Record 6: the ledger ends/)).toBeVisible();
  await offline.close();
});
