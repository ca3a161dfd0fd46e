import { describe, expect, it } from "vitest";
import { SettingsFaultError } from "../analyst.ts";
import { type RejectedCall, readRejection } from "./read-rejection.ts";

const call: RejectedCall = {
  hasImage: false,
  sent: ["response_format", "token_limit", "reasoning_effort", "system_role"],
  format: "json_schema",
};
const rejected = (status: number | undefined, body: unknown, part: Partial<RejectedCall> = {}) =>
  readRejection(
    {
      status,
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: new Headers(),
    },
    { ...call, ...part },
  );

describe("rejected parameters", () => {
  it.each<[string, number, unknown, string[]]>([
    [
      "by param",
      400,
      { error: { message: "No.", param: "max_completion_tokens" } },
      ["token_limit"],
    ],
    [
      "by place, whatever else the body repeats",
      422,
      {
        detail: [
          {
            type: "extra_forbidden",
            loc: ["body", "max_completion_tokens"],
            msg: "Extra inputs are not permitted",
            input: { response_format: "json_schema", reasoning_effort: "low" },
          },
        ],
      },
      ["token_limit"],
    ],
    [
      "by a place in text",
      400,
      {
        message:
          "[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning_effort'), 'input': 'low'}]",
      },
      ["reasoning_effort"],
    ],
    [
      "in words",
      400,
      { error: "Unsupported value: 'reasoning_effort' does not support 'low'" },
      ["reasoning_effort"],
    ],
    [
      "in camel case",
      400,
      { error: "Argument not supported on this model: maxTokens" },
      ["token_limit"],
    ],
    [
      "several",
      400,
      { error: "unknown fields: response_format, max_completion_tokens" },
      ["response_format", "token_limit"],
    ],
    ["with 415", 415, "json_schema is an unsupported media of output", ["response_format"]],
    [
      "with 501",
      501,
      { error: { message: "Structured outputs are not implemented" } },
      ["response_format"],
    ],
    [
      "with 404",
      404,
      { error: { message: "response_format is not supported by any endpoint" } },
      ["response_format"],
    ],
    [
      "with 500 that says so",
      500,
      { error: { message: "json_schema must be text" } },
      ["response_format"],
    ],
    [
      "the schema",
      400,
      { error: { message: "Invalid schema: minItems is not supported" } },
      ["response_format"],
    ],
    ["without a name", 400, "", []],
  ])("are understood %s", (...[, status, body, parameters]) => {
    expect(rejected(status, body)).toMatchObject({ parameters });
  });

  it.each([
    [
      "'response_format.type' must be 'json_schema' or 'text'",
      "json_object",
      ["json_schema", "text"],
    ],
    [
      'must be one of "text" or "json_object", but got: json_schema',
      "json_schema",
      ["json_object", "text"],
    ],
    ["response_format: `json_schema` is unavailable, send text", "json_schema", []],
  ] as const)("name the formats that the server accepts: %s", (error, format, formats) => {
    expect(rejected(400, { error }, { format })).toMatchObject({ formats });
  });

  it.each<[string, number | undefined, unknown]>([
    ["a parameter that was not sent", 503, { error: "max_tokens" }],
    ["a failure of the server", 500, { error: "The database schema is locked" }],
    ["a rate limit", 429, { error: "max_tokens per minute reached" }],
  ])("are not seen in %s", (_, status, body) => {
    expect(rejected(status, body)).toMatchObject({ name: "ProviderError", retryable: true });
  });
});

describe("faults of the settings", () => {
  it.each<[string, number | undefined, unknown, string]>([
    ["a key", 400, { code: "x", error: "Incorrect API key provided: sk" }, "OPENAI_API_KEY"],
    ["a key, with status 200", undefined, { error: { code: "invalid_api_key" } }, "OPENAI_API_KEY"],
    ["a balance", 402, { error: { message: "Insufficient Balance" } }, "OPENAI_API_KEY"],
    ["a model", 404, { error: { code: "model_not_found", message: "No." } }, "OPENAI_MODEL"],
    ["a model", 400, { error: { message: "Model Not Exist" } }, "OPENAI_MODEL"],
    [
      "a model that was shut down",
      400,
      { error: "The model `x` has been decommissioned" },
      "OPENAI_MODEL",
    ],
    ["an address", 404, "<html>Not Found</html>", "OPENAI_BASE_URL"],
    [
      "a short context",
      400,
      {
        message:
          "max_completion_tokens is too large: 4000. This model's maximum context length is 4096 tokens",
      },
      "OPENAI_MAX_OUTPUT_TOKENS",
    ],
    [
      "a limit that is too high",
      400,
      { error: "max_tokens must be less than or equal to 2048" },
      "OPENAI_MAX_OUTPUT_TOKENS",
    ],
  ])("name the setting: %s", (...[, status, body, setting]) => {
    const fault = rejected(status, body);
    expect(fault).toBeInstanceOf(SettingsFaultError);
    expect(fault).toMatchObject({ retryable: false, message: expect.stringContaining(setting) });
  });

  it.each([
    ["messages[1]: unknown variant `image_url`, expected `text`", 400],
    ["No endpoints found that support image input", 404],
    ["x is not a multimodal model", 400],
  ])("name the model that takes no images: %s", (error, status) => {
    expect(rejected(status, { error }, { hasImage: true })).toMatchObject({
      message: expect.stringContaining("accepts no images"),
    });
  });

  it("are not a rate limit that speaks of a quota", () => {
    const message = "You exceeded your current quota, please check your plan and billing details.";
    expect(
      rejected(429, [{ error: { code: 429, message, status: "RESOURCE_EXHAUSTED" } }]),
    ).toMatchObject({ failure: "rate-limited", retryable: true });
  });

  it("are not a prompt that a filter stopped", () => {
    const message = "The response was filtered by Azure OpenAI's content management policy.";
    expect(rejected(400, { error: { message } })).toMatchObject({ retryable: false });
    expect(rejected(400, { error: { message } })).not.toBeInstanceOf(SettingsFaultError);
  });
});
