import { defineConfig } from "vitest/config";
import { common } from "../vitest.config.ts";

/** Suites that are too slow for `npm test`, or need other programs. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ["scripts/**/*.suite.ts"],
    globalSetup: ["shared/testing/global-setup.ts"],
    // Two at once would measure each other.
    maxWorkers: 1,
    testTimeout: 240_000,
    hookTimeout: 600_000,
  },
});
