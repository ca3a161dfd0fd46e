import { loadWorkerSettings } from "@shared/runtime/settings.ts";
import { expect, it } from "vitest";
import { createAnalyst } from "./select-analyst.ts";

const server = loadWorkerSettings({ OPENAI_BASE_URL: "http://localhost:1/v1" });

it("is the language model where there is a key", () => {
  expect(createAnalyst({ ...server, OPENAI_API_KEY: "sk-test" }).name).toBe("openai");
});

it("is the built-in rules without a key, even where a server is named", () => {
  expect(createAnalyst({ ...server, OPENAI_API_KEY: undefined }).name).toBe("rules");
});
