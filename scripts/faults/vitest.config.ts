import { defineConfig } from "vitest/config";
import project from "../../vitest.config.ts";

/** As all tests, but only those that make parts of the product die, each with processes and a database of its own. */
export default defineConfig({
  ...project,
  test: {
    ...project.test,
    include: ["scripts/faults/*.suite.ts"],
    globalSetup: [],
    testTimeout: 240_000,
    hookTimeout: 90_000,
  },
});
