import type { Session } from "@shared/contract/account.ts";
import axe from "axe-core";
import { expect, type Page } from "playwright/test";
import { z } from "zod";
import { adminSession, makeSignal, makeTrader, submitProof } from "../support/api.ts";
import { test } from "../support/test.ts";
import { cardOf, imageBytes, signIn } from "../support/users.ts";

/** The colour themes that the product has. */
const THEMES = ["dark", "light"] as const;
type Theme = (typeof THEMES)[number];

/** Shows the page in this theme, as its switch would. */
async function applyTheme(page: Page, theme: Theme): Promise<void> {
  await page.evaluate((name) => {
    document.documentElement.dataset.theme = name;
  }, theme);
}

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const ALL_RULES = { type: "tag", values: TAGS };
/** The only rule whose result depends on the theme. */
const COLOR_RULES = { type: "rule", values: ["color-contrast"] };

const violationsSchema = z.array(
  z.object({
    id: z.string(),
    help: z.string(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.string() })),
  }),
);

/** What on the page violates these rules of WCAG 2.2 AA: one sentence each. */
async function findViolations(page: Page, runOnly: typeof ALL_RULES): Promise<string[]> {
  // Evaluated by the debugger, which the page's content security policy does not concern. Once per document is enough.
  const isLoaded = await page.evaluate(() => "axe" in window);
  if (!isLoaded) await page.evaluate(axe.source);
  const found: unknown = await page.evaluate(
    `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ["violations"] })}).then(({ violations }) => violations)`,
  );
  return violationsSchema
    .parse(found)
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}. ${html} ${failureSummary}`),
    );
}

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Many runs of axe for each screen: on a busy machine that takes its time. */
test.describe.configure({ timeout: 180_000 });

/** How far the page is wider than the window, in pixels. */
const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Expects what `page` shows to be without violations in every theme and to fit the screen, on every screen size. */
async function expectAccessible(page: Page, what: string, sizes = [DESKTOP, PHONE]): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    expect.soft(await overflowOf(page), `${what}, ${size.width} px`).toBe(0);
    for (const theme of THEMES) {
      await applyTheme(page, theme);
      const name = `${what}, ${theme}, ${size.width} px`;
      const rules = theme === "dark" ? ALL_RULES : COLOR_RULES;
      expect.soft(await findViolations(page, rules), name).toEqual([]);
    }
  }
}

async function open(page: Page, path: string): Promise<void> {
  await page.setViewportSize(DESKTOP);
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

test.describe("accessible and within the screen are", () => {
  const plain = [
    "/pricing",
    "/performance",
    "/contact",
    "/privacy",
    "/terms",
    "/verify-email",
    "/reset-password",
    "/no-such-page",
  ];

  test("a visitor's screens to read", async ({ page }) => {
    for (const path of plain) {
      await open(page, path);
      await expectAccessible(page, path);
    }
    await open(page, "/payment");
    await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
    await expectAccessible(page, "/payment");
  });

  test("the home page with all its panels, and the phone's menu", async ({ page }) => {
    await open(page, "/");
    for (const widget of await page.locator("[data-widget]").all()) {
      await widget.scrollIntoViewIfNeeded();
      await expect(widget).toContainText("BTC/USDT");
    }
    await expectAccessible(page, "/");
    await page.setViewportSize(PHONE);
    await page.getByRole("button", { name: "Open menu" }).click();
    await expect(page.getByRole("dialog", { name: "Menu" })).toBeVisible();
    await expectAccessible(page, "the menu", [PHONE]);
  });

  test("a visitor's forms, with their error messages", async ({ page }) => {
    const forms = [
      { path: "/login", button: "Login" },
      { path: "/register", button: "Register" },
      { path: "/forgot-password", button: "Send reset link" },
      { path: "/reset-password?token=any", button: "Set new password" },
    ];
    for (const { path, button } of forms) {
      await open(page, path);
      await page.getByRole("main").getByRole("button", { name: button }).click();
      await expect(page.locator("[aria-invalid=true]").first()).toBeVisible();
      await expectAccessible(page, path);
    }
  });

  test.describe("with code that cannot be loaded", () => {
    test.use({ expectsFailures: true });

    test("the error page", async ({ page }) => {
      await page.route(/\/contact-page[^/]*\.js$/, (route) => route.abort());
      await open(page, "/contact");
      await expectAccessible(page, "the error page");
    });
  });
});

test("the screens of a trader who waits for approval are accessible", async ({ page }) => {
  const trader = await makeTrader();
  await signIn(page, trader);
  await open(page, "/dashboard");
  await page.getByRole("button", { name: "Submit proof" }).click();
  await expect(page.getByText("Please provide both sender name and a file.")).toBeVisible();
  await expectAccessible(page, "/dashboard");
  await submitProof(trader, { senderName: "Jane Miller", image: await imageBytes() });
  await open(page, "/dashboard");
  await page.getByRole("button", { name: /^Enlarge/ }).click();
  await expect(page.getByRole("dialog").getByRole("img")).toBeVisible();
  await expectAccessible(page, "the image dialog");
  await open(page, "/user-panel");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.locator("[aria-invalid=true]").first()).toBeVisible();
  await expectAccessible(page, "/user-panel");
});

test.describe("accessible are an approved trader's", () => {
  let trader: Session;
  test.beforeAll(async () => {
    trader = await makeTrader({ approved: true, imageCredits: 3 });
    for (const symbol of ["BTC/USDT", "EUR/USD", "XAU/USD"]) await makeSignal(trader, { symbol });
  });
  test.beforeEach(({ page }) => signIn(page, trader));

  test("dashboard and history", async ({ page }) => {
    await open(page, "/dashboard");
    await expectAccessible(page, "/dashboard");
    await open(page, "/signal-history");
    await expect(page.locator("[data-signal]")).toHaveCount(3);
    await expectAccessible(page, "/signal-history");
  });

  test("the bot before and after a signal, with the suggestions open", async ({ page }) => {
    await open(page, "/bot");
    await expect(page.getByText(/^Demo data:/)).toBeVisible();
    await expectAccessible(page, "/bot");
    await page.getByRole("combobox", { name: "Symbol" }).click();
    await expect(page.getByRole("option").first()).toBeVisible();
    await expectAccessible(page, "the suggestions");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Get Signal" }).click();
    await expect(page.locator("[data-signal] canvas").first()).toBeVisible();
    await expectAccessible(page, "a finished signal");
  });
});

test("the administrator's screens are accessible, with the dialogs that they open", async ({
  page,
}) => {
  const trader = await makeTrader({ approved: true, imageCredits: 1 });
  const image = await imageBytes();
  await submitProof(trader, { senderName: "Jane Miller", image });
  await makeSignal(trader, { symbol: "BTC/USDT", chartImage: image });
  await signIn(page, await adminSession());
  await open(page, "/admin");
  // One card is enough to judge them all, and far quicker.
  await page.getByLabel("Search users").fill(trader.username);
  await expect(page.getByRole("article")).toHaveCount(1);
  await expect(page.getByRole("button", { name: "Delete image" }).first()).toBeVisible();
  await expectAccessible(page, "/admin");
  const card = cardOf(page, trader.username);
  const dialogs = [
    { role: "dialog", opener: card.getByRole("button", { name: "Grant credits" }) },
    { role: "dialog", opener: card.getByRole("button", { name: /^Enlarge/ }) },
    { role: "alertdialog", opener: card.getByRole("button", { name: "Delete user" }) },
  ] as const;
  for (const { role, opener } of dialogs) {
    await page.setViewportSize(DESKTOP);
    await opener.click();
    await expect(page.getByRole(role)).toBeVisible();
    await expectAccessible(
      page,
      `${await page.getByRole(role).getByRole("heading").textContent()}`,
    );
    await page.keyboard.press("Escape");
    await expect(page.getByRole(role)).toBeHidden();
  }
  await open(page, "/security-log?type=sign-ins");
  await expect(page.getByText("logged in").first()).toBeVisible();
  await expectAccessible(page, "/security-log");
  await open(page, "/bot");
  await expect(page.getByRole("heading", { name: "Admin Tools" })).toBeVisible();
  await expectAccessible(page, "the bot page with admin tools");
});
