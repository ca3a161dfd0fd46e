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
  /^Failed to load resource|^WebSocket connection to|^WebSocket is already in CLOSING|blocked by CORS policy|^The resource .* was preloaded/;

/** The settings of the tests keep out the service worker, see `playwright.config.ts`. */
const blockedWorker = /^Service Worker registration blocked by Playwright$/;

/** Other tests delete proofs of payment while an administrator's page shows them. */
const deletedProof = /\/payment_proofs\//;

interface Options {
  /** The test provokes failures of requests, which the browser itself logs. */
  expectsFailures: boolean;
  /** A message that a page may log without failing the test, as `expectsFailures` lets the browser's own pass. */
  expectedMessage: RegExp | null;
}
interface Complaints extends Options {
  texts: string[];
}

function judge(message: ConsoleMessage, complaints: Complaints): void {
  const { texts, expectsFailures, expectedMessage } = complaints;
  if (!["error", "warning"].includes(message.type())) return;
  const { url } = message.location();
  if (blockedWorker.test(message.text())) return;
  if (outside.test(url) || deletedProof.test(url)) return;
  if (expectsFailures && failedRequest.test(message.text())) return;
  if (expectedMessage?.test(message.text())) return;
  texts.push(`${message.text()} (${url})`);
}

/** Notes what the pages of `context` complain of. */
function listen(context: BrowserContext, complaints: Complaints): void {
  context.on("console", (message) => judge(message, complaints));
  context.on("weberror", (error) => complaints.texts.push(error.error().message));
}

interface Fixtures {
  complaints: Complaints;
  /** Opens a page of another user or device, with a storage of its own. */
  openElsewhere(): Promise<Page>;
}

/** A test that fails when one of its pages complains in the console. */
export const test = base.extend<Options & Fixtures>({
  expectsFailures: [false, { option: true }],
  expectedMessage: [null, { option: true }],
  complaints: async ({ expectsFailures, expectedMessage }, use) => {
    const complaints: Complaints = { texts: [], expectsFailures, expectedMessage };
    await use(complaints);
    expect(complaints.texts).toEqual([]);
  },
  context: async ({ context, complaints }, use) => {
    listen(context, complaints);
    await use(context);
  },
  openElsewhere: async ({ browser, contextOptions, complaints }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async () => {
      const context = await browser.newContext(contextOptions);
      contexts.push(context);
      listen(context, complaints);
      return context.newPage();
    });
    await Promise.all(contexts.map((context) => context.close()));
  },
});
