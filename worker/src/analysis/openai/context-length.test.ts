import { expect, it } from "vitest";
import { cutPromptFault, leastTokens } from "./context-length.ts";

const ask = (content: string) => ({ messages: [{ role: "user" as const, content }] });
const long = ask("price 117044.12 ".repeat(1_000));

it("no tokenizer needs fewer tokens than there are words and groups of three digits", () => {
  expect(leastTokens(ask("Last close: 117044.12"))).toBe(5);
  const image = { type: "image_url" as const, image_url: { url: "data:image/png;base64,AAAA" } };
  const parts = {
    role: "user" as const,
    content: [{ type: "text" as const, text: "two words" }, image],
  };
  expect(leastTokens({ messages: [parts] })).toBe(2);
});

it.each([
  ["all of the prompt", 5_000],
  ["a count that cannot be one of the prompt", 100],
])("a server that read %s has no fault", (_, tokens) => {
  expect(cutPromptFault(tokens, long)).toBeNull();
});

it("a server that cut the prompt is named with the setting to change", () => {
  expect(cutPromptFault(2_048, long)).toContain(
    "read only 2048 tokens of a prompt that has more than 4000",
  );
  expect(cutPromptFault(2_048, long)).toContain("OLLAMA_CONTEXT_LENGTH");
});
