import { vi } from "vitest";

/** The properties that `npm test` checks by a tenth of their random cases, with all of them, each time others. */
vi.stubEnv("RANDOM_CASES", "all");

await import("../../shared/contract/accent.test.ts");
await import("../../shared/domain/sizing.test.ts");
await import("../../shared/stats/followed.test.ts");
await import("../../worker/src/analysis/analyse-market.any-answer.test.ts");
await import("../../worker/src/analysis/openai/plain-text.test.ts");
await import("../../worker/src/analysis/openai/read-reply.test.ts");
await import("../../worker/src/analysis/validate-advice.test.ts");
