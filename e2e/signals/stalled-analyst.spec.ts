import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { type FakeOpenAi, startFakeOpenAi } from "@shared/testing/fakes/fake-openai.ts";
import { expect, type Page } from "playwright/test";
import { ADMIN } from "../support/api.ts";
import { analystProduct, clientUrlOf } from "../support/config.ts";
import { test } from "../support/test.ts";
import { logIn } from "../support/users.ts";

/** Another worker takes over the jobs of one that was killed within 22 s. */
const TAKEOVER = { timeout: 60_000 };

// One product for both tests.
test.describe.configure({ mode: "default" });

let openAi: FakeOpenAi;
let product: Product;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  openAi = await startFakeOpenAi();
  product = await startProduct(openAi);
});
test.afterAll(async () => {
  // First: the request that still waits for a reply fails at once, so the worker need not wait for it.
  await openAi.close();
  await product.stop();
});

test("a worker killed in the middle of an analysis costs the trader half a minute, not the signal", async ({
  page,
}) => {
  test.setTimeout(120_000);
  openAi.behave((_chat, index) => ({ kind: index === 0 ? "stalled-headers" : "advice" }));
  await page.goto(`${product.url}/bot`);
  await logIn(page);
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(page.getByText("Analyzing candles")).toBeVisible();
  await expect.poll(() => openAi.chats.length).toBe(1);
  const [victim] = product.workers;
  if (victim === undefined) throw new Error("No worker has logged its process id.");
  process.kill(victim, "SIGKILL");
  await expect(page.locator("[data-signal]")).toBeVisible(TAKEOVER);
  await expect(page.locator('[data-signal="buy"]')).toContainText("BTC/USDT");
  await expect(page.getByText("momentum is rising")).toBeVisible();
  expect(openAi.chats).toHaveLength(2);
  expect(product.workers).toHaveLength(2);
  await page.goto(`${product.url}/signal-history`);
  await expect(page.locator("[data-signal]")).toHaveCount(1);
});

/** Logs the administrator in and has a signal wait for its analyst, on a market of its own. */
async function requestStalledSignal(page: Page): Promise<void> {
  const before = openAi.chats.length;
  openAi.behave({ kind: "stalled-headers" });
  await page.goto(`${product.url}/bot`);
  await logIn(page);
  await page.getByRole("radio", { name: "4h" }).click();
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect.poll(() => openAi.chats.length).toBe(before + 1);
}

/** What Agendash logs when its event stream breaks or ends. */
const streamEnded = /^SSE connection error:/;

test.describe("the page of the queue", () => {
  // The browser itself logs that it is refused in the end. Within 3 s of a logout the server ends the event stream,
  // which may be before the reload.
  test.use({ expectsFailures: true, expectedMessage: streamEnded });

  test("is opened by an administrator from the health screen, until they log out", async ({
    page,
  }) => {
    await requestStalledSignal(page);
    await page.goto(`${product.url}/admin`);
    const popup = page.waitForEvent("popup");
    await page.getByRole("button", { name: "Open the queue" }).click();
    const queue = await popup;
    const messages: string[] = [];
    queue.on("console", (message) => messages.push(message.text()));
    await expect(queue).toHaveURL(/\/admin\/queue\/$/);
    const job = queue.getByRole("row").filter({ hasText: "generate-signal" });
    await expect(job).toHaveCount(1);
    await expect(job).toContainText("Running");
    expect(messages.filter((text) => streamEnded.test(text))).toEqual([]);
    const left = page.waitForResponse("**/logout");
    await page.getByRole("button", { name: "Logout" }).click();
    expect((await left).status()).toBe(204);
    await queue.reload();
    await expect(queue.getByText("Open it from the admin page.")).toBeVisible();
  });
});

/** A whole product of its own, whose analyst is the fake. */
interface Product {
  url: string;
  /** Process ids of the workers that have been started; only the last one still runs. */
  workers: number[];
  stop(): Promise<void>;
}

/** Starts it as a user does. The analyst is `openAi`. */
async function startProduct(openAi: FakeOpenAi): Promise<Product> {
  const { apiPort, clientPort, dataDir } = analystProduct;
  // The built pages, which know their ports, are kept for the next run.
  await rm(`${dataDir}/mongo`, { recursive: true, force: true });
  const child = spawn(process.execPath, ["scripts/start.mjs"], {
    env: {
      ...process.env,
      API_PORT: String(apiPort),
      CLIENT_PORT: String(clientPort),
      VITE_API_URL: "",
      CLIENT_ORIGIN: "",
      MONGODB_URI: "",
      DATA_DIR: dataDir,
      ADMIN_PASSWORD: ADMIN.password,
      MARKET_DATA: "replay",
      OPENAI_API_KEY: "any",
      OPENAI_BASE_URL: openAi.baseUrl,
      LOG_LEVEL: "info",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const workers: number[] = [];
  await untilReady(child, workers);
  return {
    url: clientUrlOf(analystProduct),
    workers,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** Collects the process ids of the workers; resolves when the whole product is ready. */
async function untilReady(child: ChildProcess, workers: number[]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    if (!child.stdout) return reject(new Error("The product's output cannot be read."));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, pid] = /"pid":(\d+).*"worker ready"/.exec(line) ?? [];
      if (pid) workers.push(Number(pid));
      if (line.includes("is ready.")) resolve();
    });
    child.once("exit", (code) => reject(new Error(`The product ended with ${code}.`)));
  });
}
