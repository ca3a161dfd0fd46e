import { around, record } from "@shared/testing/performance-record.ts";
import { expect, type Page } from "playwright/test";
import { apiUrl } from "../support/config.ts";
import { holdRequests, serveWidgets, WIDGET_SCRIPTS } from "../support/network.ts";
import { expectStill, observeLayoutShifts, untilPainted } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";

/** The running tape is loaded for those only who have not asked for reduced motion. */
test.use({ contextOptions: { reducedMotion: "no-preference" } });

const widgets = [
  { name: "ticker-tape", height: 46 },
  { name: "market-overview", height: 400 },
  { name: "screener", height: 500 },
];
const box = (page: Page, name: string) => page.locator(`[data-widget="${name}"]`);

/** The addresses of the widgets' scripts that `page` asks for. */
function countScripts(page: Page): string[] {
  const requests: string[] = [];
  page.on("request", (request) => {
    if (WIDGET_SCRIPTS.test(request.url())) requests.push(request.url());
  });
  return requests;
}

async function expectPanels(page: Page) {
  for (const { name, height } of widgets) {
    const widget = box(page, name);
    await widget.scrollIntoViewIfNeeded();
    await expect(widget).toHaveAttribute("data-state", "failed");
    await expect(widget).toContainText("BTC/USDT");
    await expect(widget).toContainText("Demo data");
    expect((await widget.boundingBox())?.height).toBe(height);
  }
}

test("where the widgets cannot be reached, our own prices stand in their boxes; with reduced motion, the running tape is not even asked for", async ({
  page,
}) => {
  const requests = countScripts(page);
  await page.goto("/");
  await expect(box(page, "ticker-tape")).toHaveAttribute("data-state", "failed");
  expect(requests, "widgets below are loaded once they come near").toHaveLength(1);
  requests.length = 0;
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.reload();
  await expectPanels(page);
  expect(requests.filter((url) => url.includes("ticker-tape"))).toEqual([]);
  expect(requests).toHaveLength(widgets.length - 1);
  const gold = page.getByRole("row", { name: /^XAU\/USD/ });
  await expect(gold).toHaveText(/[\d,]+\.\d+[+−]?\d+\.\d\d%$/);
});

test("a widget that says nothing for five seconds gives way, one that says that it is there stays, with the settings it was given", async ({
  page,
}) => {
  const start = Date.now();
  await page.clock.install({ time: start });
  await serveWidgets(page, "<!doctype html><title>Silent</title>");
  await page.goto("/");
  const tape = box(page, "ticker-tape");
  await expect(tape.locator("iframe")).toBeAttached();
  await page.clock.pauseAt(start + 4_900);
  await expect(tape).toHaveAttribute("data-state", "waiting");
  await page.clock.runFor(5_000);
  await page.clock.resume();
  await expect(tape).toHaveAttribute("data-state", "failed");
  await expect(tape.locator("iframe")).toHaveCount(0);
  await expect(tape).toContainText("BTC/USDT");

  await serveWidgets(
    page,
    `<!doctype html><title>Widget</title><script>
      parent.postMessage({ name: "tv-widget-load" }, "*");
    </script>`,
  );
  await page.reload();
  for (const { name, height } of widgets) {
    const widget = box(page, name);
    await widget.scrollIntoViewIfNeeded();
    await expect(widget).toHaveAttribute("data-state", "loaded");
    const frame = widget.locator("iframe");
    await expect(frame).toHaveAttribute("src", /colorTheme%22%3A%22dark/);
    await expect(frame).toHaveAttribute("title", /\w/);
    expect((await widget.boundingBox())?.height).toBe(height);
  }
  await page.clock.runFor(10_000);
  await expect(page.locator('[data-state="failed"]')).toHaveCount(0);
});

test.describe("the live record", () => {
  const RECORD = new RegExp(`^${apiUrl}/performance$`);
  const lead = (page: Page) => page.getByText("Live record so far.");

  test("is stated in one sentence, and moves nothing as it arrives", async ({ page }) => {
    await observeLayoutShifts(page);
    await page.route(RECORD, (route) =>
      route.fulfill({
        json: { ...record, lift: around(-0.03, 0.04), edge_bounds: { low: -0.08, high: 0.02 } },
        headers: { "Access-Control-Allow-Origin": "*" },
      }),
    );
    for (const width of [1440, 640, 390]) {
      await page.setViewportSize({ width, height: 2_400 });
      const held = await holdRequests(page, { url: RECORD });
      await page.goto("/");
      const overview = page.getByRole("heading", { name: "Market Overview" });
      await untilPainted(page);
      const before = await overview.boundingBox();
      held.release();
      await expect(lead(page).locator("..")).toHaveText(
        "Live record so far. Not shown to be better than chance after costs: an edge of −3.0 percentage points (−8.0 to +2.0 however often one looks; break-even at +1.1).",
      );
      await untilPainted(page);
      expect((await overview.boundingBox())?.y).toBe(before?.y);
      await expectStill(page, { limit: 0.02, what: `/ at ${width} px` });
    }
  });
});
