import { defineConfig } from "playwright/test";
import { clientUrl, stage } from "./e2e/stage.ts";
import { findBrowser } from "./scripts/lib/ensure-browser.mjs";

const specOf = (name: string) => `**/${name}.spec.ts`;

/** They wait, or measure, and neither change what others look at nor mind what others change. */
const ASIDE = ["stalled-analyst", "accessibility"].map(specOf);
/** What the one changes concerns everybody's data; what the other measures is moved by everybody's users as they arrive. */
const LAST = ["clear-all", "layout-shift"].map(specOf);

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results/browser",
  globalSetup: "./e2e/until-api-answers.ts",
  forbidOnly: true,
  workers: 2,
  retries: 0,
  timeout: 60_000,
  // Only a failure takes that long, but a busy machine may.
  expect: { timeout: 10_000 },
  // One file at a time each, so that "all" means what a test has made itself; the second project is left alone by the first.
  projects: [
    { name: "product", testIgnore: [...ASIDE, ...LAST], workers: 1 },
    { name: "aside", testMatch: ASIDE, workers: 1 },
    { name: "last", testMatch: LAST, dependencies: ["product", "aside"], workers: 1 },
  ],
  reporter: [["line"], ["json", { outputFile: "test-results/browser.json" }]],
  use: {
    baseURL: clientUrl,
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: findBrowser(),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  // The product itself, as a user starts it, on ports of its own and with nothing in its database.
  webServer: {
    command: `rm -rf ${stage.dataDir}/mongo ${stage.dataDir}/outbox && exec node scripts/start.mjs`,
    url: `${clientUrl}/healthz`,
    timeout: 180_000,
    gracefulShutdown: { signal: "SIGTERM", timeout: 30_000 },
    stdout: "ignore",
    env: {
      API_PORT: String(stage.apiPort),
      CLIENT_PORT: String(stage.clientPort),
      VITE_API_URL: "",
      CLIENT_ORIGIN: "",
      MONGODB_URI: "",
      DATA_DIR: stage.dataDir,
      ADMIN_PASSWORD: "browser-test-admin",
      MARKET_DATA: "replay",
      OPENAI_API_KEY: "",
      RATE_LIMIT: "off",
      LOG_LEVEL: "warn",
    },
  },
});
