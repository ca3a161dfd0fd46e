import { expect, type Page } from "playwright/test";
import { z } from "zod";

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
