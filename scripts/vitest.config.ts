import { defineConfig } from "vitest/config";
import { common } from "../vitest.config.ts";

/** Suites that are too slow for `npm test`, or need other programs. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    // Two at once would measure each other.
    maxWorkers: 1,
    testTimeout: 240_000,
    projects: [
      { extends: true, test: { name: "faults", include: ["scripts/{faults,soak}/*.suite.ts"] } },
      {
        extends: true,
        test: {
          name: "programs",
          include: ["scripts/{firebase,fuzz,statistics}/*.suite.ts"],
          globalSetup: ["shared/testing/global-setup.ts"],
          // The programs are installed on first use.
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
