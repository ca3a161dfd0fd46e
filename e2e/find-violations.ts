import axe from "axe-core";
import type { Page } from "playwright/test";
import { z } from "zod";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const OPTIONS = { runOnly: { type: "tag", values: TAGS }, resultTypes: ["violations"] };

const violationsSchema = z.array(
  z.object({
    id: z.string(),
    help: z.string(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.string() })),
  }),
);

/** What on the page breaks WCAG 2.2 AA, as far as axe can tell: one sentence each. */
export async function findViolations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's content security policy does not concern. Once per document is enough.
  const isLoaded = await page.evaluate(() => "axe" in window);
  if (!isLoaded) await page.evaluate(axe.source);
  const found: unknown = await page.evaluate(
    `axe.run(document, ${JSON.stringify(OPTIONS)}).then(({ violations }) => violations)`,
  );
  return violationsSchema
    .parse(found)
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}. ${html} ${failureSummary}`),
    );
}
