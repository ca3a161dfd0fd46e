import { defineConfig } from "vitest/config";
import { common } from "../../vitest.config.ts";

/** Only the suites that make parts of the product die, each with processes and a database of its own. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ["scripts/faults/*.suite.ts"],
    // Two stages at once would measure each other.
    maxWorkers: 1,
    testTimeout: 240_000,
  },
});
