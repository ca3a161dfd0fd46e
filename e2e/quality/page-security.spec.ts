import { expect, type Page } from "playwright/test";
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

test.describe("scripts of TradingView", () => {
  test.use({ expectedMessage: /allow-top-navigation/ });

  test("reach neither the pages nor the token", async ({ page }) => {
    await signIn(page, await makeTrader({ approved: true }));
    await serveScript(page, ATTACK);
    await page.goto("/bot");
    await page.getByRole("tab", { name: "TradingView" }).click();
    await expect(page.locator('[data-widget="advanced-chart"]')).toHaveAttribute(
      "data-state",
      "loaded",
    );
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

  test("find no storage either where the frame's page is opened by itself", async ({ page }) => {
    await serveScript(page, ATTACK);
    await page.goto("/widget.html?screener#{}");
    await expect(page.locator("iframe")).toBeAttached();
    expect(await page.evaluate("window.attempts")).toMatchObject({
      origin: "null",
      storage: "SecurityError",
    });
  });
});

test("the frame's page loads no other script, and passes on neither markup nor addresses", async ({
  page,
}) => {
  const requests: string[] = [];
  await page.route(/^https:/, (route) => {
    requests.push(route.request().url());
    return route.abort();
  });
  const addresses = [
    "?",
    "?../../evil",
    "?screener.js?",
    "?SCREENER",
    "?screener",
    "?screener#nonsense",
    `?screener#${JSON.stringify({ symbol: "<img src=x onerror=alert(1)>" })}`,
    `?screener#${JSON.stringify({ "<b>": true })}`,
    `?screener#${JSON.stringify({ links: ["https://evil.example"] })}`,
    `?screener#${JSON.stringify({ link: "javascript:alert(1)" })}`,
  ];
  for (const address of addresses) {
    await page.goto("about:blank");
    await page.goto(`/widget.html${address}`);
    await expect(page.locator("script")).toHaveCount(1);
  }
  expect(requests).toEqual([]);
});

test("a message of another frame does not pass for the widget's", async ({ page }) => {
  await page.route(WIDGET_SCRIPTS, (route) =>
    route.fulfill({ contentType: "text/javascript", body: "" }),
  );
  await signIn(page, await makeTrader({ approved: true }));
  await page.goto("/bot");
  await page.getByRole("tab", { name: "TradingView" }).click();
  const chart = page.locator('[data-widget="advanced-chart"]');
  await expect(chart.locator("iframe")).toBeAttached();
  await page.evaluate(() => window.postMessage("loaded", "*"));
  await page.frame({ url: WIDGET_PAGE })?.evaluate("parent.postMessage({ name: 'loaded' }, '*')");
  await expect(chart).toHaveAttribute("data-state", "failed");
});

test.describe("text", () => {
  test.use({ expectedMessage: /TrustedHTML|TrustedTypePolicy/ });

  test("cannot become HTML or code", async ({ page }) => {
    await page.goto("/pricing");
    const write = () => {
      document.body.innerHTML = "<img src=x onerror=alert(1)>";
    };
    await expect(page.evaluate(write)).rejects.toThrow("TrustedHTML");
    const policy = 'trustedTypes.createPolicy("default", { createHTML: (text) => text })';
    await expect(page.evaluate(policy)).rejects.toThrow(/createPolicy/);
  });
});

test.describe("pages of another site", () => {
  test.use({ expectsFailures: true, expectedMessage: /frame-ancestors/ });

  test("can frame neither our pages nor the widget page", async ({ page }) => {
    for (const path of ["/login", "/no-such-page", "/widget.html?screener"]) {
      await page.route("http://evil.example/", (route) =>
        route.fulfill({
          contentType: "text/html",
          body: `<iframe src="${clientUrl}${path}"></iframe>`,
        }),
      );
      await page.goto("http://evil.example/");
      const [, frame] = page.frames();
      await expect.poll(() => frame?.url()).toMatch(/^chrome-error:/);
      await page.unroute("http://evil.example/");
    }
  });
});
