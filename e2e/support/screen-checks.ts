import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, type Page } from "playwright/test";
import { z } from "zod";

export const DESKTOP = { width: 1440, height: 900 };
/** The smallest one on which an answer is seen without scrolling. */
export const LAPTOP = { width: 1366, height: 768 };
export const PHONE = { width: 390, height: 844 };

/** The colour themes that the product has. */
type Theme = "dark" | "light";

/** How a screen is seen: the structure depends on the size, the contrast on the theme. */
interface View {
  size: typeof DESKTOP;
  theme: Theme;
}

/** Each size and each theme once. */
const VIEWS: readonly View[] = [
  { size: DESKTOP, theme: "dark" },
  { size: PHONE, theme: "light" },
];

/** For what only one size shows, such as the header: each size in the other theme. */
export const OTHER_VIEWS: readonly View[] = [
  { size: DESKTOP, theme: "light" },
  { size: PHONE, theme: "dark" },
];

/** For what only phones show. */
export const PHONE_VIEWS: readonly View[] = [
  { size: PHONE, theme: "dark" },
  { size: PHONE, theme: "light" },
];

/** Shows the page in this theme, as its switch would. */
async function applyTheme(page: Page, theme: Theme): Promise<void> {
  await page.evaluate((name) => {
    document.documentElement.dataset.theme = name;
  }, theme);
}

/** Each new document reads it, so the small form. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** Without what takes half of the time: files of styles and media for two rules, one experimental and one about sound, and frames, which no screen has here. */
const OPTIONS = {
  ...{ runOnly: { type: "tag", values: TAGS }, resultTypes: ["violations"] },
  ...{ preload: false, iframes: false },
};

const violationsSchema = z.array(
  z.object({
    id: z.string(),
    help: z.string(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.string() })),
  }),
);

/** What in this part of the page violates these rules of WCAG 2.2 AA: one sentence each. */
async function findViolations(page: Page, part: string): Promise<string[]> {
  // Evaluated by the debugger, which the page's content security policy does not concern. Once per document is enough.
  const isLoaded = await page.evaluate(() => "axe" in window);
  if (!isLoaded) await page.evaluate(AXE);
  const options = JSON.stringify(OPTIONS);
  const found: unknown = await page.evaluate(
    `axe.run(${JSON.stringify(part)}, ${options}).then(({ violations }) => violations)`,
  );
  return violationsSchema
    .parse(found)
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}. ${html} ${failureSummary}`),
    );
}

const softly = expect.configure({ soft: true });

/** How far the page is wider than the window, in pixels. */
const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/**
 * Expects what `page` shows to be without violations and to fit the screen.
 * @param options.views how to look at it, by default at each size and each theme once
 * @param options.part selects what to look at, by default all but the frame, which is the same on every screen
 */
export async function expectAccessible(
  page: Page,
  what: string,
  { views = VIEWS, part = "main" } = {},
): Promise<void> {
  for (const { size, theme } of views) {
    const name = `${what}, ${theme}, ${size.width} px`;
    await page.setViewportSize(size);
    await applyTheme(page, theme);
    // What is anchored to a part of the page follows it in the next frame.
    await softly.poll(() => overflowOf(page), name).toBe(0);
    expect.soft(await findViolations(page, part), name).toEqual([]);
  }
}

const shiftsSchema = z.array(z.object({ value: z.number(), what: z.array(z.string()) }));

/** Runs in the page, from before its first paint: keeps each shift that no input has caused. */
const OBSERVE = `
  globalThis.layoutShifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      const what = sources.map(({ node, previousRect: from, currentRect: to }) =>
        (node?.outerHTML?.slice(0, 120) ?? node?.nodeName) + " y " + from.y + " → " + to.y +
        ", height " + from.height + " → " + to.height);
      layoutShifts.push({ value, what });
    }
  }).observe({ type: "layout-shift", buffered: true });
`;

/** Lets `page` keep count of its layout shifts, from its next navigation on. */
export const observeLayoutShifts = (page: Page): Promise<unknown> =>
  page.addInitScript({ content: OBSERVE });

/** Waits until what has changed is painted, and its shifts are counted. */
export async function untilPainted(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
  });
}

/** Expects that what stood on the page since it was opened has stayed where it was. */
export async function expectStill(
  page: Page,
  { limit, what }: { limit: number; what: string },
): Promise<void> {
  const shifts = shiftsSchema.parse(await page.evaluate("layoutShifts"));
  const total = shifts.reduce((sum, { value }) => sum + value, 0);
  expect.soft(total, `${what}: ${JSON.stringify(shifts, null, 2)}`).toBeLessThan(limit);
}
