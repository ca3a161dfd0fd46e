/** What a fake server sends instead of a completion. */
export interface FakeRejection {
  status: number;
  body: unknown;
}

/** The parameters of a request that servers treat differently. */
export interface ChatParameters {
  max_completion_tokens?: number | undefined;
  max_tokens?: number | undefined;
  reasoning_effort?: unknown;
  response_format?: { type: string } | undefined;
  messages: readonly { role: string; content: unknown }[];
}

/** A kind of server as its documentation and reports of its users describe it. */
export interface ModelServer {
  /** First match counts; null accepts. */
  rejects?: (chat: ChatParameters, call: number) => FakeRejection | null;
  /** Fields of the message, from the JSON of the advice. */
  writes?: (advice: string) => Record<string, unknown>;
  finishReason?: string;
}

const error = (status: number, message: string, rest: Record<string, unknown> = {}) => ({
  status,
  body: { error: { message, type: "invalid_request_error", param: null, code: null, ...rest } },
});
const formatOf = ({ response_format: format }: ChatParameters) => format?.type;
const hasSchema = (chat: ChatParameters) => formatOf(chat) === "json_schema";
const hasNewLimit = (chat: ChatParameters) => chat.max_completion_tokens !== undefined;
const hasImage = ({ messages }: ChatParameters) =>
  messages.some(({ content }) => JSON.stringify(content).includes('"image_url"'));

/** Pydantic's, as FastAPI sends them: every field that it does not know, with its value. */
const extraFields = (chat: ChatParameters, names: readonly (keyof ChatParameters)[]) =>
  names
    .filter((name) => chat[name] !== undefined)
    .map((name) => ({
      type: "extra_forbidden",
      loc: ["body", name],
      msg: "Extra inputs are not permitted",
      input: chat[name],
    }));

function rejectExtraFields(
  chat: ChatParameters,
  names: readonly (keyof ChatParameters)[],
  toBody: (detail: ReturnType<typeof extraFields>) => unknown,
): FakeRejection | null {
  const detail = extraFields(chat, names);
  return detail.length > 0 ? { status: 422, body: toBody(detail) } : null;
}

const fenced = (advice: string) => `\`\`\`json\n${advice}\n\`\`\``;
const DRAFT = '{"final_signal": "WAIT"}';
const THOUGHT = `MACD [-20.9, -2.7]; draft ${DRAFT}? No.`;

/** Servers that answer, by name. The table in `docs/settings.md` shows what is learned of each. */
export const MODEL_SERVERS: Readonly<Record<string, ModelServer>> = {
  OpenAI: {
    rejects: (chat) =>
      chat.max_tokens === undefined
        ? null
        : error(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            { param: "max_tokens", code: "unsupported_parameter" },
          ),
  },
  "OpenAI, a model without reasoning": {
    rejects: (chat) =>
      chat.reasoning_effort === undefined
        ? null
        : error(
            400,
            "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
            { param: "reasoning_effort", code: "unsupported_parameter" },
          ),
  },
  "OpenAI, a model without structured outputs": {
    rejects: (chat) =>
      hasSchema(chat)
        ? error(
            400,
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more about supported models at the Structured Outputs guide",
          )
        : null,
  },
  "Azure OpenAI, older API version": {
    rejects(chat) {
      const unknown = (name: string) =>
        error(400, `Unrecognized request argument supplied: ${name}`);
      if (chat.reasoning_effort !== undefined) return unknown("reasoning_effort");
      if (hasNewLimit(chat)) return unknown("max_completion_tokens");
      return null;
    },
  },
  "DeepSeek chat": {
    rejects: (chat) =>
      hasSchema(chat)
        ? error(400, "This response_format type is unavailable now", {
            code: "invalid_request_error",
          })
        : null,
  },
  "DeepSeek, older": {
    rejects: (chat) =>
      hasSchema(chat)
        ? {
            status: 422,
            body: "Failed to deserialize the JSON body into the target type: response_format: response_format.type `json_schema` is unavailable now at line 1 column 12440",
          }
        : null,
  },
  "DeepSeek reasoner": {
    rejects: (chat) =>
      formatOf(chat) === undefined
        ? null
        : error(400, `This response_format type is unavailable now`),
    writes: (advice) => ({ reasoning_content: THOUGHT, content: fenced(advice) }),
  },
  Mistral: {
    rejects: (chat) =>
      rejectExtraFields(chat, ["max_completion_tokens", "reasoning_effort"], (detail) => ({
        object: "error",
        message: { detail },
        type: "invalid_request_error",
        param: null,
        code: null,
      })),
  },
  "Mistral, a reasoning model": {
    rejects: (chat) =>
      rejectExtraFields(chat, ["max_completion_tokens", "reasoning_effort"], (detail) => ({
        detail,
      })),
    writes: (advice) => ({
      content: [
        { type: "thinking", thinking: [{ type: "text", text: THOUGHT }] },
        { type: "text", text: advice.slice(0, 40) },
        { type: "text", text: advice.slice(40) },
      ],
    }),
  },
  "vLLM with a reasoning parser": {
    writes: (advice) => ({ reasoning_content: THOUGHT, content: advice, tool_calls: [] }),
  },
  "vLLM without one": { writes: (advice) => ({ content: `${THOUGHT}\n</think>\n\n${advice}` }) },
  "vLLM, older": {
    rejects(chat) {
      const names: readonly (keyof ChatParameters)[] = [
        "max_completion_tokens",
        "reasoning_effort",
      ];
      const detail = extraFields(chat, names).map(
        ({ loc, input }) =>
          `{'type': 'extra_forbidden', 'loc': ('body', '${loc[1]}'), 'msg': 'Extra inputs are not permitted', 'input': '${input}'}`,
      );
      if (detail.length === 0) return null;
      const message = `[${detail.join(", ")}]`;
      return {
        status: 400,
        body: { object: "error", message, type: "BadRequestError", param: null, code: 400 },
      };
    },
  },
  "vLLM, a template without a system role": {
    rejects: ({ messages }) =>
      messages[0]?.role === "system"
        ? {
            status: 400,
            body: { object: "error", message: "System role not supported", code: 400 },
          }
        : null,
  },
  Ollama: { writes: (advice) => ({ content: `<think>\n${THOUGHT}\n</think>\n\n${advice}` }) },
  "Ollama, older": {
    writes: (advice) => ({ content: `Here is my advice:\n${fenced(advice)}\nGood luck!` }),
  },
  "LM Studio": {
    rejects: (chat) =>
      formatOf(chat) === "json_object"
        ? { status: 400, body: { error: "'response_format.type' must be 'json_schema' or 'text'" } }
        : null,
    writes: (advice) => ({ content: `<think></think>${advice}` }),
  },
  "llama.cpp": { writes: (advice) => ({ content: advice.replace("{", "{\n ") }) },
  "llama.cpp, older": {
    rejects: (chat) =>
      hasSchema(chat)
        ? {
            status: 500,
            body: {
              error: {
                code: 500,
                message:
                  'response_format type must be one of "text" or "json_object", but got: json_schema',
                type: "server_error",
              },
            },
          }
        : null,
  },
  "llama-cpp-python": {
    rejects: (chat) =>
      hasSchema(chat)
        ? {
            status: 422,
            body: {
              detail: [
                {
                  type: "literal_error",
                  loc: ["body", "response_format", "type"],
                  msg: "Input should be 'text' or 'json_object'",
                  input: "json_schema",
                },
              ],
            },
          }
        : null,
  },
  Groq: {
    rejects: (chat) =>
      hasSchema(chat)
        ? error(400, "This model does not support response format `json_schema`.", {
            param: "response_format",
          })
        : null,
    writes: (advice) => ({ content: advice, reasoning: THOUGHT }),
  },
  "Groq, whose JSON mode failed": {
    rejects: (chat) =>
      formatOf(chat) === undefined
        ? null
        : error(
            400,
            "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.",
            { code: "json_validate_failed", failed_generation: `${DRAFT} max_tokens` },
          ),
  },
  Together: { finishReason: "eos", writes: (advice) => ({ content: `[${advice}]` }) },
  Fireworks: {
    rejects: (chat) =>
      hasNewLimit(chat)
        ? error(400, "Extra inputs are not permitted, field: 'max_completion_tokens', value: 4000")
        : null,
  },
  OpenRouter: {
    rejects: (chat) =>
      chat.reasoning_effort === undefined && !hasSchema(chat)
        ? null
        : {
            status: 404,
            body: {
              error: {
                message: "No endpoints found that can handle the requested parameters.",
                code: 404,
              },
            },
          },
  },
  "Gemini's compatible endpoint": {
    rejects(chat) {
      if (!hasNewLimit(chat)) return null;
      const message =
        'Invalid JSON payload received. Unknown name "max_completion_tokens": Cannot find field.';
      const details = [{ "@type": "BadRequest", fieldViolations: [{ description: message }] }];
      return {
        status: 400,
        body: [{ error: { code: 400, message, status: "INVALID_ARGUMENT", details } }],
      };
    },
    finishReason: "STOP",
  },
  "Anthropic's compatible endpoint": {
    writes: (advice) => ({ content: `I weigh the evidence first.\n\n${fenced(advice)}` }),
  },
  LiteLLM: {
    rejects(chat) {
      const names = [
        ...(chat.reasoning_effort === undefined ? [] : ["'reasoning_effort'"]),
        ...(hasSchema(chat) ? ["'response_format'"] : []),
      ];
      return names.length === 0
        ? null
        : error(
            400,
            `litellm.UnsupportedParamsError: openai does not support parameters: [${names.join(", ")}], for model=local. To drop these, set \`litellm.drop_params=True\``,
            { code: "400" },
          );
    },
  },
  xAI: {
    rejects: (chat) =>
      chat.reasoning_effort === undefined
        ? null
        : {
            status: 400,
            body: {
              code: "Client specified an invalid argument",
              error: "Argument not supported on this model: reasoningEffort",
            },
          },
  },
  Perplexity: {
    rejects: (chat) =>
      formatOf(chat) === "json_object"
        ? error(
            400,
            "At body -> response_format -> type: Input should be 'text', 'json_schema' or 'regex'",
          )
        : null,
    writes: (advice) => ({ content: `<think>${THOUGHT}</think>\n${fenced(advice)}` }),
  },
  "a gateway without response formats": {
    rejects: (chat) =>
      formatOf(chat) === undefined
        ? null
        : { status: 501, body: { message: "response_format is not implemented" } },
  },
  "a gateway that names no parameter": {
    rejects: (chat) =>
      formatOf(chat) || hasNewLimit(chat) ? { status: 400, body: "Bad Request" } : null,
  },
  "a server that names one parameter at a time": {
    rejects(chat) {
      const parameter = (name: string) =>
        error(400, `Unsupported parameter: '${name}'`, { code: "unsupported_parameter" });
      if (hasNewLimit(chat)) return parameter("max_completion_tokens");
      if (formatOf(chat)) return parameter("response_format");
      if (chat.reasoning_effort !== undefined) return parameter("reasoning_effort");
      return null;
    },
  },
  "a server that knows only text, one format at a time": {
    rejects(chat) {
      const format = formatOf(chat);
      if (format) return error(400, `response_format ${format} is not supported by this model`);
      return hasNewLimit(chat) ? error(400, "max_completion_tokens is not supported") : null;
    },
  },
  "a model that calls a tool instead": {
    writes: (advice) => ({
      content: null,
      tool_calls: [{ id: "1", type: "function", function: { name: "advice", arguments: advice } }],
    }),
    finishReason: "tool_calls",
  },
  "a server that sends the object itself": {
    writes: (advice) => ({ content: JSON.parse(advice) }),
  },
};

/** Servers that never answer: a setting has to change, or the server is busy. */
export const FAULTY_SERVERS: Readonly<Record<string, ModelServer>> = {
  "wrong key": {
    rejects: () => error(401, "Incorrect API key provided", { code: "invalid_api_key" }),
  },
  "wrong key, as Gemini says it": {
    rejects: () => ({
      status: 400,
      body: [
        {
          error: {
            code: 400,
            message: "API key not valid. Please pass a valid API key.",
            status: "INVALID_ARGUMENT",
          },
        },
      ],
    }),
  },
  "no such model": {
    rejects: () => error(404, "model 'llama9' not found, try pulling it first"),
  },
  "no such model, as OpenRouter says it": {
    rejects: () => ({
      status: 400,
      body: { error: { message: "foo/bar is not a valid model ID", code: 400 } },
    }),
  },
  "wrong address": { rejects: () => ({ status: 404, body: "404 page not found" }) },
  "no quota": {
    rejects: () =>
      error(429, "You exceeded your current quota, please check your plan and billing details.", {
        code: "insufficient_quota",
      }),
  },
  "no balance": {
    rejects: () => error(402, "Insufficient Balance", { type: "unknown_error" }),
  },
  "context too short": {
    rejects: () =>
      error(
        400,
        "This model's maximum context length is 4096 tokens. However, you requested 7700 tokens (3700 in the messages, 4000 in the completion). Please reduce max_completion_tokens.",
        { param: "messages", code: "context_length_exceeded" },
      ),
  },
  "no images": {
    rejects: (chat) =>
      hasImage(chat)
        ? {
            status: 404,
            body: { error: { message: "No endpoints found that support image input", code: 404 } },
          }
        : null,
  },
};
