import { vi } from "vitest";

/** The intervals of `shared/stats/coverage.test.ts`, of all processes and of more records. */
vi.stubEnv("RANDOM_CASES", "all");

await import("../../shared/stats/coverage.test.ts");
