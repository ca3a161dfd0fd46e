import type { Session } from "@shared/contract/account.ts";
import type { Followed } from "@shared/contract/followed.ts";
import { expect, type Locator, type Page } from "playwright/test";
import {
  addWebhook,
  adminSession,
  makeSignal,
  makeTrader,
  submitProof,
  watchMarket,
} from "../support/api.ts";
import { holdApi, releaseApi } from "../support/network.ts";
import {
  DESKTOP,
  expectAccessible,
  expectStill,
  OTHER_VIEWS,
  observeLayoutShifts,
  PHONE,
  PHONE_VIEWS,
  untilPainted,
} from "../support/screen-checks.ts";
import { test } from "../support/test.ts";
import { cardOf, imageBytes, signIn, userRows } from "../support/users.ts";

/** Several runs of axe for each screen: on a busy machine that takes its time. */
test.describe.configure({ timeout: 180_000 });

/** A fifth of what counts as good for cumulative layout shift. */
const MOST_SHIFT = 0.02;

interface Screen {
  path: string;
  /** What is there once all data have arrived. */
  filled(page: Page): Locator;
}

const DAYS = Array.from({ length: 40 }, (_, index) => index);
const dayOf = (index: number) => new Date(Date.UTC(2026, 0, 5 + index)).toISOString();

/** As if trades had ended, which takes hours. */
const FOLLOWED: Followed = {
  ...{ start_balance: 1_000, end_balance: 1_070, max_drawdown_percent: 4.2 },
  ...{ trades: 40, wins: 18, total_r: 7.1, demo_trades: 40, truncated: false },
  ...{ funding: -1.25, without_funding: 40 },
  skipped: [{ reason: "pending", count: 2 }],
  equity: DAYS.map((index) => ({ at: dayOf(index), balance: 1_000 + ((index * 37) % 80) })),
  by_market: [{ symbol: "BTC/USDT", trades: 40, wins: 18, total_r: 7.1, profit: 70 }],
  by_day: DAYS.map((index) => ({
    ...{ day: dayOf(index).slice(0, 10), trades: 1, wins: index % 2 },
    ...{ total_r: index % 2 ? 2 : -1, profit: index % 2 ? 20 : -10 },
  })),
  holding: { end_balance: 1_020 },
  random: { low: 890, median: 990, high: 1_110, runs: 200 },
  verdict: "same",
  results: [],
};

const heading = (page: Page) => page.getByRole("heading", { level: 1 });
const email = (page: Page) => page.getByText(/@example\.com/);
const plain = (path: string): Screen => ({ path, filled: heading });

/** Opens a screen whose API does not answer before the screen stands; then the data come in, and nothing moves. */
async function open(page: Page, { path, filled }: Screen, size = DESKTOP): Promise<void> {
  // A page that is opened again keeps how far it was scrolled, where other parts of it are in view.
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.setViewportSize(size);
  await page.goto(path);
  await expect(heading(page)).toBeVisible();
  await untilPainted(page);
  await releaseApi(page);
  await expect(filled(page).first()).toBeVisible();
  await untilPainted(page);
  await expectStill(page, { limit: MOST_SHIFT, what: `${path} at ${size.width} px` });
}

/** Expects that nothing moves on a phone either. */
async function openOnPhone(page: Page, screens: Screen[]): Promise<void> {
  for (const screen of screens) await open(page, screen, PHONE);
}

test.beforeEach(async ({ page }) => {
  await observeLayoutShifts(page);
  await holdApi(page);
});

test.describe("nothing moves as data arrive, and all is accessible and within the screen", () => {
  const home: Screen = {
    path: "/",
    filled: (page) => page.locator("[data-widget]").getByText("BTC/USDT"),
  };
  const payment: Screen = {
    path: "/payment",
    filled: (page) => page.getByText("Important", { exact: true }),
  };
  const texts = ["/pricing", "/contact", "/privacy", "/terms"].map(plain);
  const performance: Screen = {
    path: "/performance",
    filled: (page) =>
      page.getByRole("region", { name: "Key metrics" }).or(page.getByText("No signals here yet")),
  };
  const analyst: Screen = {
    ...performance,
    path: "/analyst?analyst=rules&version=rules%2F5&model=rules-v5&data=replay",
  };
  const others = ["/verify-email", "/unsubscribe", "/reset-password", "/no-such-page"].map(plain);

  test("on a visitor's screens to read", async ({ page }) => {
    for (const screen of [...texts, payment, performance, analyst, ...others]) {
      await open(page, screen);
      await expectAccessible(page, screen.path);
    }
    await openOnPhone(page, [...texts, payment]);
  });

  test("on the home page with all its panels, in the phone's menu, and on a visitor's forms with their error messages", async ({
    page,
  }) => {
    await open(page, home);
    for (const widget of await page.locator("[data-widget]").all()) {
      await widget.scrollIntoViewIfNeeded();
      await expect(widget).toContainText("BTC/USDT");
    }
    await expectAccessible(page, "/", { part: "html" });
    await expectAccessible(page, "the header", { views: OTHER_VIEWS, part: "header" });
    await openOnPhone(page, [home]);
    await page.getByRole("button", { name: "Open menu" }).click();
    await expect(page.getByRole("dialog", { name: "Menu" })).toBeVisible();
    await expectAccessible(page, "the menu", { views: PHONE_VIEWS, part: "[role=dialog]" });

    const forms = [
      { path: "/login", button: "Login" },
      { path: "/register", button: "Register" },
      { path: "/forgot-password", button: "Send reset link" },
      { path: "/reset-password?token=any", button: "Set new password" },
    ];
    for (const { path, button } of forms) {
      await open(page, plain(path));
      await page.getByRole("main").getByRole("button", { name: button }).click();
      await expect(page.locator("[aria-invalid=true]").first()).toBeVisible();
      await expectAccessible(page, path);
    }
    await openOnPhone(page, ["/login", "/register", "/forgot-password"].map(plain));
  });

  test("on the screens of a trader who waits for approval", async ({ page }) => {
    const trader = await makeTrader();
    await signIn(page, trader);
    await open(page, { path: "/dashboard", filled: email });
    await page.getByRole("button", { name: "Submit proof" }).click();
    await expect(page.getByText("Please provide both sender name and a file.")).toBeVisible();
    await expectAccessible(page, "/dashboard");
    await submitProof(trader, { senderName: "Jane Miller", image: await imageBytes() });
    const underReview: Screen = {
      path: "/dashboard",
      filled: () => page.getByText("Proof under review"),
    };
    await openOnPhone(page, [underReview]);
    await open(page, underReview);
    await page.getByRole("button", { name: /^Enlarge/ }).click();
    const image = page.getByRole("dialog").getByRole("img");
    await expect(image).toHaveJSProperty("naturalWidth", 320);
    await expectAccessible(page, "the image dialog", { part: "[role=dialog]" });
    await open(page, { path: "/user-panel", filled: email });
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.locator("[aria-invalid=true]").first()).toBeVisible();
    await expectAccessible(page, "/user-panel");
  });

  test.describe("on an approved trader's", () => {
    const dashboard: Screen = { path: "/dashboard", filled: email };
    const history: Screen = {
      path: "/signal-history",
      filled: (page) => page.locator("[data-signal]"),
    };
    const results: Screen = { path: "/results", filled: (page) => page.getByText("Monthly email") };
    const watchlist: Screen = { path: "/watchlist", filled: (page) => page.getByRole("article") };
    const bot: Screen = { path: "/bot", filled: (page) => page.getByText(/^Demo data:/) };
    let trader: Session;
    test.beforeAll(async () => {
      trader = await makeTrader({ approved: true, imageCredits: 3 });
      for (const symbol of ["BTC/USDT", "EUR/USD", "XAU/USD"]) await makeSignal(trader, { symbol });
      for (const symbol of ["BTC/USDT", "EUR/USD", "WTI"]) await watchMarket(trader, symbol);
    });
    test.beforeEach(({ page }) => signIn(page, trader));

    test("dashboard, history and watchlist, and results before and after trades have ended", async ({
      page,
    }) => {
      await open(page, dashboard);
      await expectAccessible(page, "/dashboard");
      await open(page, results);
      await open(page, history);
      await expect(page.locator("[data-signal]")).toHaveCount(3);
      await page
        .getByRole("button", { name: /^Details of/ })
        .first()
        .click();
      await page.getByRole("button", { name: "Show chart" }).first().click();
      await expect(page.locator("canvas").first()).toBeVisible();
      await expectAccessible(page, "/signal-history", { part: "html" });
      await expectAccessible(page, "the header", { views: OTHER_VIEWS, part: "header" });
      await open(page, watchlist);
      await page.getByRole("button", { name: "Edit EUR/USD 1h" }).click();
      await page.getByRole("button", { name: "Watch", exact: true }).click();
      await expect(page.locator("[aria-invalid=true]").first()).toBeVisible();
      await expectAccessible(page, "/watchlist");
      await openOnPhone(page, [dashboard, history, watchlist]);
      await page.route(/\/me\/followed/, (route) => route.fulfill({ json: FOLLOWED }));
      const ended: Screen = {
        path: "/results",
        filled: (page) => page.getByRole("heading", { name: "Balance" }),
      };
      await open(page, ended);
      await expectAccessible(page, "/results");
      await openOnPhone(page, [ended]);
    });

    test("account, with a channel's settings and deliveries, an API key and their forms, and bot before and after a signal, with the suggestions open", async ({
      page,
    }) => {
      const section = page.getByRole("region", { name: "Notifications" });
      const filled = () => section.getByRole("article");
      const account: Screen = { path: "/user-panel", filled };
      await addWebhook(trader);
      await open(page, account);
      await section.getByRole("button", { name: "Deliveries" }).click();
      await expect(section.getByText("No deliveries yet.")).toBeVisible();
      await section.getByRole("button", { name: /^Webhook/ }).click();
      await section.getByRole("switch", { name: "Quiet hours" }).check();
      const card = page.locator("#api-keys");
      await card.getByRole("button", { name: "Create a key" }).click();
      await card.getByLabel("Name").fill("My trading bot");
      await card.getByRole("button", { name: "Create", exact: true }).click();
      await expect(card.getByText(/^ats_/).first()).toBeVisible();
      await card.getByRole("button", { name: "Create a key" }).click();
      await card.getByRole("button", { name: "Create", exact: true }).click();
      await expect(card.locator("[aria-invalid=true]")).toBeVisible();
      await expectAccessible(page, "/user-panel");
      await section.getByRole("button", { name: "Settings", exact: true }).click();
      await expectAccessible(page, "the settings of a channel", { part: "article" });
      await openOnPhone(page, [account]);
      await openOnPhone(page, [bot]);
      await open(page, bot);
      await expect(page.locator("canvas").first()).toBeVisible();
      await expectAccessible(page, "/bot");
      await page.getByRole("button", { name: "Table" }).click();
      await expectAccessible(page, "the candles as a table", { part: "main" });
      await page.getByRole("combobox", { name: "Symbol" }).click();
      await expect(page.getByRole("option").first()).toBeVisible();
      await expectAccessible(page, "the suggestions", { part: "form" });
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Get Signal" }).click();
      await expect(page.locator("[data-signal]")).toBeVisible();
      await expectAccessible(page, "a finished signal", { part: "[data-signal]" });
    });
  });

  test.describe("on the administrator's", () => {
    test.beforeEach(async ({ page }) => {
      // Other tests register and delete users meanwhile, which moves the cards.
      await page.routeWebSocket(/socket\.io/, () => undefined);
      await signIn(page, await adminSession());
    });
    const admin: Screen = { path: "/admin", filled: (page) => userRows(page) };
    const bot: Screen = {
      path: "/bot",
      filled: (page) => page.getByRole("heading", { name: "Admin Tools" }),
    };
    const dashboard: Screen = {
      path: "/dashboard",
      filled: (page) => page.getByRole("heading", { name: "Administration" }),
    };

    test("panel, with the dialogs that it opens", async ({ page }) => {
      const trader = await makeTrader({ approved: true, imageCredits: 1 });
      const image = await imageBytes();
      await submitProof(trader, { senderName: "Jane Miller", image });
      await makeSignal(trader, { symbol: "BTC/USDT", chartImage: image });
      await openOnPhone(page, [admin]);
      await open(page, admin);
      // One card is enough to judge them all, and far quicker.
      await page.getByLabel("Search users").fill(trader.username);
      await expect(userRows(page)).toHaveCount(1);
      await expect(page.getByRole("button", { name: "Delete image" }).first()).toBeVisible();
      await expectAccessible(page, "/admin", { part: "html" });
      const card = cardOf(page, trader.username);
      const more = { name: /^More actions/ };
      const enlarge = { name: /^Enlarge/ };
      const details = { name: trader.username, exact: true };
      const dialogs = [
        { role: "dialog", opener: card.getByRole("button", more) },
        { role: "dialog", opener: card.getByRole("button", enlarge) },
        { role: "dialog", opener: card.getByRole("button", details) },
        { role: "alertdialog", opener: page.getByRole("button", { name: "Clear all history" }) },
      ] as const;
      for (const { role, opener } of dialogs) {
        await page.setViewportSize(DESKTOP);
        await opener.click();
        await expect(page.getByRole(role)).toBeVisible();
        const name = await page.getByRole(role).getByRole("heading").first().textContent();
        await expectAccessible(page, `${name}`, { part: `[role=${role}]` });
        await page.keyboard.press("Escape");
        await expect(page.getByRole(role)).toBeHidden();
      }
    });

    test("dashboard, system, security log and bot", async ({ page }) => {
      await open(page, dashboard);
      await open(page, { path: "/admin/system", filled: () => page.getByText("Checked") });
      await expectAccessible(page, "/admin/system");
      await open(page, {
        path: "/admin/audit?type=sign-ins",
        filled: () => page.getByText("logged in"),
      });
      await expectAccessible(page, "/admin/audit");
      await open(page, bot);
      await expectAccessible(page, "the bot page with admin tools");
      await openOnPhone(page, [dashboard, bot]);
    });
  });
});
