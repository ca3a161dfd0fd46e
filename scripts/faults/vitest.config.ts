import { defineConfig } from "vitest/config";
import project from "../../vitest.config.ts";

/** As all tests, but only those that make parts of the product die, each with processes and a database of its own. */
export default defineConfig({
  ...project,
  test: {
    ...project.test,
    include: ["scripts/faults/*.suite.ts"],
    globalSetup: [],
    // Two stages at once would measure each other.
    maxWorkers: 1,
    testTimeout: 240_000,
    hookTimeout: 90_000,
  },
});
