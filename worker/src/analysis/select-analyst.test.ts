import { expect, it } from "vitest";
import { createAnalyst } from "./select-analyst.ts";

const server = {
  OPENAI_BASE_URL: "http://localhost:1/v1",
  OPENAI_MODEL: "any-model",
  OPENAI_MAX_OUTPUT_TOKENS: 4_000,
};

it("is the language model where there is a key", () => {
  expect(createAnalyst({ ...server, OPENAI_API_KEY: "sk-test" }).name).toBe("openai");
});

it("is the built-in rules without a key, even where a server is named", () => {
  expect(createAnalyst({ ...server, OPENAI_API_KEY: undefined }).name).toBe("rules");
});
