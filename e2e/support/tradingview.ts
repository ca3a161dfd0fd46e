import type { Page } from "playwright/test";

export const WIDGET_SCRIPTS = /^https:\/\/s3\.tradingview\.com\/external-embedding\//;

/** Serves fake widgets: each script adds an iframe that contains `frame`, as the scripts of TradingView do. */
export async function serveWidgets(page: Page, frame: string) {
  await page.route(WIDGET_SCRIPTS, (route) =>
    route.fulfill({
      contentType: "text/javascript",
      body: `{
        const { parentElement, text } = document.currentScript;
        const frame = document.createElement("iframe");
        frame.src = "https://www.tradingview-widget.com/embed#" + encodeURIComponent(text);
        parentElement.append(frame);
      }`,
    }),
  );
  await page.route("https://www.tradingview-widget.com/**", (route) =>
    route.fulfill({ contentType: "text/html", body: frame }),
  );
}
