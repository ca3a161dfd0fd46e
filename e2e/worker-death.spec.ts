import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { freePort } from "@shared/testing/free-port.ts";
import { type StandInOpenAi, startStandInOpenAi } from "@shared/testing/stand-in-openai.ts";
import { expect } from "playwright/test";
import { ADMIN } from "./api.ts";
import { logIn } from "./people.ts";
import { stage } from "./stage.ts";
import { test } from "./test.ts";

/** A dead worker's jobs are taken over within 22 s. */
const TAKEOVER = { timeout: 60_000 };

/** A whole product of its own, whose analyst is the stand-in. */
interface Product {
  url: string;
  /** Process ids of the workers that have been started, the one before the last among the dead. */
  workers: number[];
  stop(): Promise<void>;
}

async function startProduct(openAi: StandInOpenAi): Promise<Product> {
  const [apiPort, clientPort] = [await freePort(), await freePort()];
  const dataDir = `${stage.dataDir}-worker-death`;
  // The built pages are kept for the next run.
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
    url: `http://localhost:${clientPort}`,
    workers,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** Hears of each worker's start, and resolves when all of the product is there. */
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

let openAi: StandInOpenAi;
let product: Product;

test.beforeAll(async () => {
  test.setTimeout(120_000);
  openAi = await startStandInOpenAi();
  product = await startProduct(openAi);
});
test.afterAll(async () => {
  await product.stop();
  await openAi.close();
});

test("a worker killed in the middle of an analysis costs the trader half a minute, not his signal", async ({
  page,
}) => {
  test.setTimeout(120_000);
  openAi.behave((_chat, index) => ({ kind: index === 0 ? "stalled-headers" : "advice" }));
  await page.goto(`${product.url}/bot`);
  await logIn(page);
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(page.getByText("Fetching candles and analysing")).toBeVisible();
  await expect.poll(() => openAi.chats.length).toBe(1);
  const [victim] = product.workers;
  if (victim === undefined) throw new Error("No worker has said its process id.");
  process.kill(victim, "SIGKILL");
  await expect(page.locator("[data-signal]")).toBeVisible(TAKEOVER);
  await expect(page.locator('[data-signal="buy"]')).toContainText("BTC/USDT");
  await expect(page.getByText("momentum is rising")).toBeVisible();
  expect(openAi.chats).toHaveLength(2);
  expect(product.workers).toHaveLength(2);
  await page.goto(`${product.url}/signal-history`);
  await expect(page.locator("[data-signal]")).toHaveCount(1);
});
