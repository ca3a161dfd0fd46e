import { expect, type Locator, type Page } from "playwright/test";
import { adminSession, makeSignal, makeTrader, submitProof } from "../support/api.ts";
import { apiUrl } from "../support/config.ts";
import { expectStill, observeLayoutShifts, untilPainted } from "../support/layout-shifts.ts";
import { holdRequests } from "../support/network.ts";
import { test } from "../support/test.ts";
import { imageBytes, signIn } from "../support/users.ts";

test.describe.configure({ timeout: 120_000 });

/** Half of what counts as good for cumulative layout shift. */
const MOST_SHIFT = 0.05;

interface Screen {
  path: string;
  /** What is there once all data have arrived. */
  filled(page: Page): Locator;
}

const heading = (page: Page) => page.getByRole("heading", { level: 1 });

/** Opens a screen whose API does not answer before the screen stands; then the data come in. */
async function expectNoShift(page: Page, { path, filled }: Screen): Promise<void> {
  const held = await holdRequests(page, { url: new RegExp(`^${apiUrl}/(?!socket)`) });
  await page.goto(path);
  await expect(heading(page)).toBeVisible();
  await untilPainted(page);
  held.release();
  await expect(filled(page).first()).toBeVisible();
  await untilPainted(page);
  await expectStill(page, { limit: MOST_SHIFT, what: path });
  await page.unrouteAll({ behavior: "ignoreErrors" });
}

const email = (page: Page) => page.getByText(/@example\.com/);

const publicScreens: Screen[] = [
  { path: "/", filled: (page) => page.locator("[data-widget]").getByText("BTC/USDT") },
  ...["/login", "/register", "/pricing", "/contact", "/privacy", "/terms", "/forgot-password"].map(
    (path) => ({ path, filled: heading }),
  ),
  { path: "/payment", filled: (page) => page.getByText("Important", { exact: true }) },
];
const traderScreens: Screen[] = [
  { path: "/dashboard", filled: email },
  { path: "/user-panel", filled: email },
  { path: "/bot", filled: (page) => page.getByText(/^Demo data:/) },
  { path: "/signal-history", filled: (page) => page.locator("[data-signal]") },
];
const adminScreens: Screen[] = [
  { path: "/dashboard", filled: (page) => page.getByRole("heading", { name: "Administration" }) },
  { path: "/admin", filled: (page) => page.getByRole("article") },
  { path: "/bot", filled: (page) => page.getByRole("heading", { name: "Admin Tools" }) },
];

for (const viewport of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test.describe(`at ${viewport.width} px nothing moves as data arrive`, () => {
    test.use({ viewport });
    test.beforeEach(({ page }) => observeLayoutShifts(page));

    test("on a visitor's screens", async ({ page }) => {
      for (const screen of publicScreens) await expectNoShift(page, screen);
    });

    test("on the dashboard of a trader who waits for approval", async ({ page }) => {
      const trader = await makeTrader();
      await submitProof(trader, { senderName: "Jane Miller", image: await imageBytes() });
      await signIn(page, trader);
      const filled = () => page.getByText("Proof under review");
      await expectNoShift(page, { path: "/dashboard", filled });
    });

    test("on an approved trader's screens", async ({ page }) => {
      const trader = await makeTrader({ approved: true });
      await makeSignal(trader, { symbol: "BTC/USDT" });
      await signIn(page, trader);
      for (const screen of traderScreens) await expectNoShift(page, screen);
    });

    test("on the administrator's screens", async ({ page }) => {
      // Other tests register and delete users meanwhile, which moves the cards.
      await page.routeWebSocket(/socket\.io/, () => undefined);
      await signIn(page, await adminSession());
      for (const screen of adminScreens) await expectNoShift(page, screen);
    });
  });
}
