import { expect, type Locator, type Page } from "playwright/test";
import { makeTrader } from "../support/api.ts";
import { clientUrl } from "../support/config.ts";
import { WIDGET_SCRIPTS } from "../support/network.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

const WIDGET_PAGE = /\/widget\.html/;

/** Tries everything that a script of TradingView must not reach, and then reports that the widget has loaded. */
const ATTACK = `{
  const attempt = (read) => {
    try {
      return String(read());
    } catch (error) {
      return error.name;
    }
  };
  window.attempts = {
    origin: self.origin,
    storage: attempt(() => localStorage.getItem("token")),
    cookies: attempt(() => document.cookie),
    page: attempt(() => parent.document.body.innerText),
    navigation: attempt(() => parent !== self && (top.location.href = "https://evil.example/")),
  };
  const frame = document.createElement("iframe");
  frame.src = "https://www.tradingview-widget.com/embed";
  document.currentScript.parentElement.append(frame);
}`;

/** Serves a script in place of TradingView's, and a frame that reports that it has loaded. */
async function serveScript(page: Page, script: string): Promise<void> {
  await page.route(WIDGET_SCRIPTS, (route) =>
    route.fulfill({ contentType: "text/javascript", body: script }),
  );
  await page.route("https://www.tradingview-widget.com/**", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: "<script>parent.postMessage({ name: 'tv-widget-load' }, '*')</script>",
    }),
  );
}

/** Opens the chart of TradingView on the page of the bot, as it is served by now. */
async function openChart(page: Page): Promise<Locator> {
  await page.goto("/bot");
  await page.getByRole("tab", { name: "TradingView" }).click();
  return page.locator('[data-widget="advanced-chart"]');
}

test.describe("scripts of TradingView", () => {
  test.use({ expectedMessage: /allow-top-navigation/ });

  test("reach neither the pages nor the token, and a message of another frame does not pass for theirs", async ({
    page,
  }) => {
    await signIn(page, await makeTrader({ approved: true }));
    await serveScript(page, "");
    const chart = await openChart(page);
    await expect(chart.locator("iframe")).toBeAttached();
    await page.evaluate(() => window.postMessage("loaded", "*"));
    await page.frame({ url: WIDGET_PAGE })?.evaluate("parent.postMessage({ name: 'loaded' }, '*')");
    await expect(chart).toHaveAttribute("data-state", "failed");

    await serveScript(page, ATTACK);
    await openChart(page);
    await expect(chart).toHaveAttribute("data-state", "loaded");
    const attempts = await page.frame({ url: WIDGET_PAGE })?.evaluate("window.attempts");
    expect(attempts).toEqual({
      origin: "null",
      storage: "SecurityError",
      cookies: "SecurityError",
      page: "SecurityError",
      navigation: "SecurityError",
    });
    await expect(page).toHaveURL(`${clientUrl}/bot`);
  });
});

test("the frame's page loads no other script, passes on neither markup nor addresses, and has no storage when it is opened by itself", async ({
  page,
}) => {
  const requests: string[] = [];
  await page.route(/^https:/, (route) => {
    requests.push(route.request().url());
    return route.abort();
  });
  // Each has another query than the one before it: another fragment alone would load nothing.
  const addresses = [
    "?screener",
    "?",
    "?screener#nonsense",
    "?../../evil",
    `?screener#${JSON.stringify({ symbol: "<img src=x onerror=alert(1)>" })}`,
    "?screener.js?",
    `?screener#${JSON.stringify({ "<b>": true })}`,
    "?SCREENER",
    `?screener#${JSON.stringify({ links: ["https://evil.example"] })}`,
    "?",
    `?screener#${JSON.stringify({ link: "javascript:alert(1)" })}`,
  ];
  for (const address of addresses) {
    await page.goto(`/widget.html${address}`);
    await expect(page.locator("script")).toHaveCount(1);
  }
  expect(requests).toEqual([]);

  await serveScript(page, ATTACK);
  await page.goto("/widget.html?");
  await page.goto("/widget.html?screener#{}");
  await expect(page.locator("iframe")).toBeAttached();
  expect(await page.evaluate("window.attempts")).toMatchObject({
    origin: "null",
    storage: "SecurityError",
  });
});

test.describe("a page", () => {
  test.use({
    expectsFailures: true,
    expectedMessage: /TrustedHTML|TrustedTypePolicy|frame-ancestors/,
  });

  test("turns no text into HTML or code, and can be framed by no other site", async ({ page }) => {
    await page.goto("/pricing");
    const write = () => {
      document.body.innerHTML = "<img src=x onerror=alert(1)>";
    };
    await expect(page.evaluate(write)).rejects.toThrow("TrustedHTML");
    const policy = 'trustedTypes.createPolicy("default", { createHTML: (text) => text })';
    await expect(page.evaluate(policy)).rejects.toThrow(/createPolicy/);

    const framed = ["/login", "/no-such-page", "/widget.html?screener"];
    await page.route("http://evil.example/", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: framed.map((path) => `<iframe src="${clientUrl}${path}"></iframe>`).join(""),
      }),
    );
    await page.goto("http://evil.example/");
    const urls = () =>
      page
        .frames()
        .slice(1)
        .map((frame) => frame.url().split(":")[0]);
    await expect.poll(urls).toEqual(framed.map(() => "chrome-error"));
  });
});
