import {
  type BrowserContext,
  test as base,
  type ConsoleMessage,
  expect,
  type Page,
} from "playwright/test";

/** What the browser itself says of the market widgets' scripts, which these tests keep out. */
const outside = /^https:\/\//;

/** What the browser itself says of requests that did not get through. */
const failedRequest =
  /^Failed to load resource|^WebSocket connection to|blocked by CORS policy|^The resource .* was preloaded/;

interface Complaints {
  texts: string[];
  /** Whether requests are meant to fail. */
  expectsFailures: boolean;
}

function judge(message: ConsoleMessage, { texts, expectsFailures }: Complaints): void {
  if (!["error", "warning"].includes(message.type())) return;
  if (outside.test(message.location().url)) return;
  if (expectsFailures && failedRequest.test(message.text())) return;
  texts.push(message.text());
}

/** Lets the pages of `context` reach nothing but this machine, and notes what they complain of. */
async function guard(context: BrowserContext, complaints: Complaints): Promise<void> {
  context.on("console", (message) => judge(message, complaints));
  context.on("weberror", (error) => complaints.texts.push(error.error().message));
  await context.route(
    (url) => url.hostname !== "localhost",
    (route) => route.abort(),
  );
}

interface Options {
  /** The test provokes failures of requests, which the browser itself logs. */
  expectsFailures: boolean;
}
interface Fixtures {
  complaints: Complaints;
  /** Opens a page of somebody else's, with a storage of its own. */
  openElsewhere(): Promise<Page>;
}

/** A test whose pages may reach nothing but this machine, and that fails when one of them complains in the console. */
export const test = base.extend<Options & Fixtures>({
  expectsFailures: [false, { option: true }],
  complaints: async ({ expectsFailures }, use) => {
    const complaints: Complaints = { texts: [], expectsFailures };
    await use(complaints);
    expect(complaints.texts).toEqual([]);
  },
  context: async ({ context, complaints }, use) => {
    await guard(context, complaints);
    await use(context);
  },
  openElsewhere: async ({ browser, contextOptions, complaints }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async () => {
      const context = await browser.newContext(contextOptions);
      contexts.push(context);
      await guard(context, complaints);
      return context.newPage();
    });
    await Promise.all(contexts.map((context) => context.close()));
  },
});
