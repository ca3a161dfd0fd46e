import type { ModelServerTraits } from "@shared/database/models/model-server.ts";
import { RESPONSE_FORMATS, type ResponseFormat } from "@shared/runtime/settings.ts";

/** Parameters of a call that a server may reject. */
export type RejectableParameter = "response_format" | "token_limit" | OptionalParameter;
export type OptionalParameter = ModelServerTraits["leftOut"][number];

/** A call that was rejected because of its parameters. */
export interface ParameterRejection {
  /** Empty if the server does not say which. */
  parameters: readonly RejectableParameter[];
  /** Formats that the server names instead; empty if it names none. */
  formats: readonly ResponseFormat[];
  /** The parameter itself is unknown, whatever its value. */
  isUnknown: boolean;
}

const TOKEN_LIMITS = ["max_completion_tokens", "max_tokens", "none"] as const;

/** Of a server that has not rejected anything yet: as OpenAI's. */
export const DEFAULT_TRAITS: ModelServerTraits = {
  responseFormat: "json_schema",
  tokenLimit: "max_completion_tokens",
  leftOut: [],
};

/** A server that rejects more than this has another fault. */
const MAX_REJECTIONS = 4;

/**
 * Finds out what a server accepts, rejection by rejection. From the second one on, everything goes that is not needed, so
 * that three calls are enough for servers that name one parameter at a time.
 */
export class TraitsSearch {
  #traits: ModelServerTraits;
  #rejections = 0;
  readonly #rejected = new Set<string>();
  readonly #start: ModelServerTraits;
  readonly #isFormatFixed: boolean;

  constructor(start: ModelServerTraits, { isFormatFixed }: { isFormatFixed: boolean }) {
    this.#start = start;
    this.#traits = start;
    this.#isFormatFixed = isFormatFixed;
  }

  get traits(): ModelServerTraits {
    return this.#traits;
  }

  get isChanged(): boolean {
    return this.#traits !== this.#start;
  }

  /** What to try next; null if nothing is left. */
  next(rejection: ParameterRejection): ModelServerTraits | null {
    this.#rejections += 1;
    if (this.#rejections > MAX_REJECTIONS) return null;
    const before = this.#traits;
    this.#traits = this.#changed(rejection);
    const isChanged = JSON.stringify(before) !== JSON.stringify(this.#traits);
    return isChanged ? this.#traits : null;
  }

  #changed({ parameters, ...rejection }: ParameterRejection): ModelServerTraits {
    const isVague = parameters.length === 0;
    const isRejected = (name: RejectableParameter) => isVague || parameters.includes(name);
    const { responseFormat, tokenLimit, leftOut } = this.#traits;
    const dropsOptional = isVague || this.#rejections > 1;
    const optional: OptionalParameter[] = [
      ...(dropsOptional || isRejected("reasoning_effort") ? (["reasoning_effort"] as const) : []),
      ...(parameters.includes("system_role") ? (["system_role"] as const) : []),
    ];
    const nextFormat = isRejected("response_format")
      ? this.#nextFormat({ ...rejection, isUnknown: isVague || rejection.isUnknown })
      : responseFormat;
    return {
      responseFormat: nextFormat,
      tokenLimit: this.#nextLimit({
        isRejected: isRejected("token_limit"),
        isOldServer: nextFormat !== responseFormat && tokenLimit === "max_completion_tokens",
      }),
      leftOut: [...new Set([...leftOut, ...optional])],
    };
  }

  #nextFormat({ formats, isUnknown }: Omit<ParameterRejection, "parameters">): ResponseFormat {
    const { responseFormat } = this.#traits;
    if (this.#isFormatFixed) return responseFormat;
    this.#rejected.add(responseFormat);
    const left = RESPONSE_FORMATS.filter((format) => !this.#rejected.has(format));
    const named = left.find((format) => formats.includes(format));
    if (named) return named;
    return isUnknown || this.#rejections > 1 ? "text" : (left[0] ?? "text");
  }

  /** Servers that lack a response format mostly know the older name alone. */
  #nextLimit({ isRejected, isOldServer }: { isRejected: boolean; isOldServer: boolean }) {
    const { tokenLimit } = this.#traits;
    if (!isRejected) return isOldServer ? "max_tokens" : tokenLimit;
    this.#rejected.add(tokenLimit);
    return TOKEN_LIMITS.find((limit) => !this.#rejected.has(limit)) ?? "none";
  }
}
