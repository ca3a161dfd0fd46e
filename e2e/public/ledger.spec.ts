import { readFile } from "node:fs/promises";
import type {
  HeadWitness,
  LedgerEntry,
  LedgerHeads,
  WitnessedHead,
} from "@shared/contract/ledger.ts";
import { makeLedger } from "@shared/testing/ledger-factory.ts";
import { expect, type Page } from "playwright/test";
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

const noHeads: LedgerHeads = { heads: [], next_before: null };

function stamp(day: string, block: number | null): HeadWitness {
  const status = block === null ? "pending" : "complete";
  const url = "https://calendar.example";
  return {
    ...{ kind: "opentimestamps", url, status, bitcoin_block: block, commit: null },
    at: `${day}T06:00:00.000Z`,
  };
}

function headOf(day: string, witnesses: readonly HeadWitness[]): WitnessedHead {
  const hash = "ab".repeat(32);
  return { day, seq: 5, hash, at: `${day}T00:00:00.000Z`, witnesses: [...witnesses] };
}

/** The page with a ledger behind it; what is downloaded may differ from what is listed. */
async function openWith(
  page: Page,
  downloaded: readonly LedgerEntry[] = entries,
  heads: LedgerHeads = noHeads,
) {
  const headers = { "Access-Control-Allow-Origin": "*" };
  const last = entries.at(-1)?.record;
  const head = { seq: last?.seq, hash: last?.hash, at: last?.at };
  await page.route(/\/ledger\/head$/, (route) => route.fulfill({ json: head, headers }));
  await page.route(/\/ledger\/heads(\?|$)/, (route) => route.fulfill({ json: heads, headers }));
  await page.route(/\/ledger\?/, (route) =>
    route.fulfill({ json: { entries, next_after: null, head }, headers }),
  );
  await page.route(/\/ledger\/download$/, (route) =>
    route.fulfill({ body: asText(downloaded), headers }),
  );
  await page.goto("/ledger");
}

const verify = (page: Page) => page.getByRole("button", { name: /^Verify/ }).click();

test("a visitor finds the ledger from every page's end", async ({ page }) => {
  await page.goto("/pricing");
  await page.getByRole("link", { name: "Ledger" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Ledger" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Newest records" })).toBeVisible();
});

test("sealed analyses and resolved ones are told apart", async ({ page }) => {
  await openWith(page);
  const records = page.getByRole("listitem").filter({ hasText: "#" });
  await expect(records).toHaveCount(5);
  await expect(records.nth(0)).toContainText("Hidden until resolved");
  await expect(records.nth(1)).toContainText("LOSS");
  await expect(records.nth(1)).toContainText("\u22121.05 R");
  await expect(records.nth(3)).toContainText("ETH/USDT");
  await records.nth(3).locator("summary").press("Enter");
  await expect(records.nth(3)).toContainText("figures_commitment");
});

test("the browser verifies the ledger, and holds it to what it saw before", async ({ page }) => {
  await openWith(page);
  await verify(page);
  await expect(page.getByText("Intact: 5 records")).toBeVisible();
  await expect(page.getByText("1 won, 1 lost, 0 expired")).toBeVisible();
  await page.unroute(/\/ledger\/download$/);
  await openWith(page, entries.slice(0, 4));
  await verify(page);
  await expect(page.getByRole("alert")).toContainText("Not intact: record 5");
});

test("a record that was taken out is named", async ({ page }) => {
  await openWith(page, entries.toSpliced(3, 1));
  await verify(page);
  await expect(page.getByRole("alert")).toContainText("Not intact: record 4");
  await expect(page.getByRole("alert")).toContainText("the record is missing");
});

test("a ledger that nobody else has a head of says so", async ({ page }) => {
  await openWith(page, entries, { heads: [headOf("2025-01-31", [])], next_before: null });
  const witnesses = page.getByRole("region", { name: "Witnesses" });
  await expect(witnesses).toContainText("No witness has a fingerprint of this ledger");
  await expect(witnesses.getByRole("listitem")).toHaveCount(0);
});

test("each witness says what it proves, with the proof and the command", async ({ page }) => {
  const git = { ...stamp("2025-01-31", null), kind: "git" as const, status: "complete" as const };
  const heads = [
    headOf("2025-02-01", [stamp("2025-02-01", null)]),
    headOf("2025-01-31", [
      { ...git, url: "https://example.com/heads.git", commit: "c0ffee1234" },
      stamp("2025-01-31", null),
      stamp("2025-01-31", 880_000),
    ]),
  ];
  await openWith(page, entries, { heads, next_before: null });
  const witnesses = page.getByRole("region", { name: "Witnesses" });
  await expect(witnesses.getByRole("heading", { level: 3 })).toHaveText([
    "OpenTimestamps",
    "Git repository",
    "Daily fingerprints",
  ]);
  const [newest, older] = [
    witnesses.getByRole("listitem").nth(0),
    witnesses.getByRole("listitem").nth(1),
  ];
  await expect(newest).toContainText("Waiting for Bitcoin");
  await expect(newest.getByRole("link", { name: "Download proof 2025-02-01" })).toBeVisible();
  await expect(older).toContainText("Bitcoin block 880,000");
  await expect(older).toContainText("Commit c0ffee1");
  await older.locator("summary").press("Enter");
  await expect(older).toContainText(`ots verify -d ${"ab".repeat(32)} ledger-head-2025-01-31.ots`);
  await expect(older.getByRole("link", { name: "Download proof" })).toHaveAttribute(
    "href",
    /\/ledger\/heads\/2025-01-31\/ots$/,
  );
  await expect(older.getByRole("link", { name: "Open the repository" })).toHaveAttribute(
    "href",
    "https://example.com/heads.git",
  );
});

const candlesOf = (name: string, hours: number[]) => ({
  name,
  mimeType: "text/csv",
  buffer: Buffer.from(
    [
      "time,open,high,low,close,volume",
      ...hours.map((hour) => `${Date.UTC(2025, 0, 31, hour)},100,101,99,100,1`),
    ].join("\n"),
  ),
});

test("a reader's candles resolve the outcomes again, and those that differ are named", async ({
  page,
}) => {
  await openWith(page);
  const files = page.getByLabel("Candle files");
  await files.setInputFiles(candlesOf("prices.csv", [0]));
  await expect(page.getByRole("alert")).toContainText("prices.csv can't be used");
  await files.setInputFiles(candlesOf("EUR-USD.1h.csv", [0, 1]));
  await expect(page.getByText("These candles cover none of the resolved trades.")).toBeVisible();
  await files.setInputFiles([
    candlesOf("BTC-USDT.1h.csv", [0, 1]),
    candlesOf("BTC-USDT.30m.csv", [0]),
  ]);
  await expect(page.getByRole("alert")).toContainText("1 of 1 checked outcomes differ");
  await expect(page.getByRole("alert")).toContainText("Not checked: 1 without candles");
  await expect(page.getByText("outcome: recorded WIN, resolved again none")).toBeVisible();
});

test("the saved verifier works from disk, without a network", async ({ page, browser }) => {
  await openWith(page);
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
