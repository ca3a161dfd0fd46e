import { describe, expect, it } from "vitest";
import { readCompletion, readTokens } from "./read-completion.ts";

const A = '{"final_signal":"WAIT"}';
const withMessage = (message: unknown, rest: object = {}) => ({
  choices: [{ finish_reason: "stop", message, ...rest }],
});

describe("the text of a completion", () => {
  it.each<[string, unknown, string]>([
    ["as a string", { content: A }, A],
    [
      "in parts, without thinking",
      {
        content: [
          { type: "thinking", thinking: "Hm." },
          { type: "text", text: A },
        ],
      },
      A,
    ],
    [
      "in reasoning parts",
      {
        content: [
          { type: "reasoning", text: "Hm." },
          { type: "output_text", text: A },
        ],
      },
      A,
    ],
    [
      "split over parts",
      { content: [{ type: "text", text: '{"final_' }, { text: 'signal":"WAIT"}' }, null] },
      A,
    ],
    ["in parts that are strings", { content: ['{"final_', 'signal":"WAIT"}'] }, A],
    ["as one part", { content: { type: "text", text: A } }, A],
    ["as an object", { content: JSON.parse(A) }, A],
    ["as a list of objects", { content: [JSON.parse(A)] }, `[${A}]`],
    ["in a tool call", { content: null, tool_calls: [{ function: { arguments: A } }] }, A],
    [
      "in a tool call, as an object",
      { tool_calls: [{ function: { arguments: JSON.parse(A) } }] },
      A,
    ],
    ["in a function call", { content: "", function_call: { arguments: A } }, A],
    ["in both", { content: A, tool_calls: [{ function: { arguments: A } }] }, `${A}\n${A}`],
    ["beside odd fields", { content: A, tool_calls: {}, refusal: 0, reasoning_content: [] }, A],
    ["nowhere", { content: null, reasoning_content: A }, ""],
  ])("is found %s", (_, message, text) => {
    expect(readCompletion(withMessage(message))).toMatchObject({ text, end: "complete" });
  });

  it.each([
    ["length", "cut-off"],
    ["MAX_TOKENS", "cut-off"],
    ["model_length", "cut-off"],
    ["content_filter", "declined"],
    ["SAFETY", "declined"],
    ["eos", "complete"],
    [null, "complete"],
  ])("ends, for the reason %s, as %s", (finish_reason, end) => {
    expect(readCompletion(withMessage({ content: A }, { finish_reason }))).toMatchObject({ end });
  });

  it("is a refusal where a part says so", () => {
    const content = [{ type: "refusal", refusal: "No." }];
    expect(readCompletion(withMessage({ content }))).toMatchObject({ end: "declined" });
  });

  it.each([
    null,
    "data: {",
    {},
    { choices: null },
    { choices: [] },
    { choices: [{ message: null }] },
    { error: { message: "No." }, ...withMessage({ content: null }) },
    withMessage({ content: A }, { error: { code: 502 } }),
    withMessage({ content: "" }, { finish_reason: "error" }),
  ])("is missing in %j", (body) => {
    expect(readCompletion(body)).toBeNull();
  });
});

it.each([
  [{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }, 5],
  [{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 515 }, 505],
  [{ prompt_tokens: 10, completion_tokens: 5, total_tokens: null }, 5],
])("the tokens of %j include reasoning", (usage, completionTokens) => {
  expect(readTokens({ usage })).toEqual({ promptTokens: 10, completionTokens });
  expect(readTokens({ usage: null })).toBeNull();
});
