import { defineConfig } from "playwright/test";
import { clientUrl, clientUrlOf, stages } from "./e2e/support/config.ts";
import { findBrowser } from "./scripts/lib/test-run/ensure-browser.ts";

/** Started first, so that at the end no worker has a long file left while the other one is idle. */
const LONG = ["stalled-analyst", "accessibility", "admin", "signal"].map(
  (name) => `**/${name}.spec.ts`,
);

/** The product itself, as a user starts it, once per stage and with nothing in its database. */
const START = stages.map(({ apiPort, clientPort, dataDir }) =>
  [
    `rm -rf ${dataDir}/mongo ${dataDir}/outbox`,
    `API_PORT=${apiPort} CLIENT_PORT=${clientPort} DATA_DIR=${dataDir} exec node scripts/start.mjs`,
  ].join(" && "),
);

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results/browser",
  globalSetup: "./e2e/support/wait-for-api.ts",
  forbidOnly: true,
  workers: stages.length,
  retries: 0,
  timeout: 60_000,
  // Only a failure takes that long, but a busy machine may.
  expect: { timeout: 10_000 },
  projects: [
    { name: "long", testMatch: LONG },
    { name: "short", testIgnore: LONG },
  ],
  reporter: [["line"], ["json", { outputFile: "test-results/browser.json" }]],
  use: {
    baseURL: clientUrl,
    screenshot: "only-on-failure",
    // Recording takes a third of the time of every test. To look into a failure, add `--trace retain-on-failure`.
    trace: "off",
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
        // Pages reach nothing but this machine. A route would see to that too, but it stops every request and the cache.
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
      ],
    },
  },
  webServer: {
    // The signal reaches all of the group; the shell stays until the products have stopped.
    command: `trap : TERM INT; ${START.map((start) => `(${start}) &`).join(" ")} wait; wait`,
    url: `${clientUrlOf(stages[0])}/healthz`,
    timeout: 180_000,
    gracefulShutdown: { signal: "SIGTERM", timeout: 30_000 },
    stdout: "ignore",
    env: {
      VITE_API_URL: "",
      CLIENT_ORIGIN: "",
      MONGODB_URI: "",
      ADMIN_PASSWORD: "browser-test-admin",
      MARKET_DATA: "replay",
      OPENAI_API_KEY: "",
      RATE_LIMIT: "off",
      LOG_LEVEL: "warn",
    },
  },
});
