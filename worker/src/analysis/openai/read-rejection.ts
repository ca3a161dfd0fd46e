import { RESPONSE_FORMATS } from "@shared/runtime/settings.ts";
import { z } from "zod";
import { ProviderError } from "../../market-data/market-data.ts";
import { SettingsFaultError } from "../analyst.ts";
import { ModelRefusalError } from "../model-refusal.ts";
import { readRetryAfter } from "./retry-after.ts";
import type { ParameterRejection, RejectableParameter } from "./server-traits.ts";

/** A response without an answer. */
export interface Rejection {
  /** Of HTTP, or as the body says where that is 200. */
  status: number | undefined;
  body: string;
  headers: Headers;
}

/** The call whose rejection is read. */
export interface RejectedCall {
  hasImage: boolean;
  /** Parameters that it had. */
  sent: readonly RejectableParameter[];
  format: (typeof RESPONSE_FORMATS)[number];
}

/** A rejected parameter is no answer: the call is repeated without it. Everything else is an error. */
export function readRejection(
  rejection: Rejection,
  call: RejectedCall,
): ParameterRejection | ProviderError {
  const said = wordsOf(rejection.body);
  const { status } = rejection;
  return (
    declined(said, status) ??
    settingsFault(said, rejection, call) ??
    namedParameters(said, status, call) ??
    modelFault(said, status) ??
    vagueRejection(said, status) ??
    serverFault(rejection)
  );
}

/** What a body says, without what it repeats of the request. */
interface Said {
  /** Parameters as the body points at them: `param`, `loc`. */
  pointers: string;
  /** All texts, in small letters, with `_` for blanks. */
  words: string;
  raw: string;
}

const POINTERS = ["param", "loc", "field"];
const WORDS = ["message", "msg", "error", "detail", "description", "code", "type", "reason"];
const ALSO_WORDS = ["status", "raw", "error_msg", "errors", "details", "metadata"];
const SPOKEN = [...WORDS, ...ALSO_WORDS, "fieldViolations"];
/** `'loc': ('body', 'max_tokens')`, in a list that was written as text. */
const LOC_IN_TEXT = /['"\\]*loc['"\\]*\s*:\s*[([]([^)\]]*)[)\]]/g;
const MAX_WORDS = 20_000;

function wordsOf(body: string): Said {
  const json = parseJson(body.trim());
  const texts = json === undefined ? [{ key: "message", text: body }] : textsIn(json, "message");
  const isPointer = ({ key }: KeyedText) => POINTERS.includes(key);
  const raw = texts
    .filter((each) => !isPointer(each))
    .map(({ text }) => text)
    .join(" ")
    .slice(0, MAX_WORDS);
  const pointers = [
    ...texts.filter(isPointer).map(({ text }) => text),
    ...[...raw.matchAll(LOC_IN_TEXT)].map(([, loc = ""]) => loc),
  ];
  return { pointers: normal(pointers.join(" ")), words: normal(raw), raw };
}

interface KeyedText {
  key: string;
  text: string;
}

function textsIn(value: unknown, key: string): KeyedText[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== "object") return [{ key, text: String(value) }];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, key));
  return Object.entries(value)
    .filter(([name]) => POINTERS.includes(name) || SPOKEN.includes(name))
    .flatMap(([name, item]) => textsIn(item, name));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const normal = (text: string): string => text.toLowerCase().replaceAll(/[\s-]+/g, "_");

const DECLINED =
  /content_?filter|content_policy|content_management_policy|responsible_ai|invalid_prompt|flagged|moderation/;

function declined({ words }: Said, status: number | undefined): ModelRefusalError | null {
  const isRejected = status === 400 || status === 403 || status === 422;
  return isRejected && DECLINED.test(words) ? new ModelRefusalError("openai", status) : null;
}

const NO_QUOTA = /insufficient_?(quota|balance|credits|funds)|billing_(hard|not)|payment_required/;
const BAD_KEY =
  /api_?key.{0,40}(not_valid|invalid|incorrect|missing|expired|wrong|required)|(invalid|incorrect|missing|wrong|expired)_(\w+_)?api_?key/;
const NO_MODEL =
  /model.{0,120}?(not_exist|not_found|not_a_valid|not_available|decommission|deprecated|retired|shut_?down)|not_a_valid_model|(unknown|invalid|no_such)_model|model_not_found|pull_the_model/;
const TOO_LONG =
  /context_?(length|window|size)|maximum_context|too_many_(input_)?tokens|prompt_is_too_long|tokens.{0,40}(too_large|exceed|at_most|less_than|must_be_<)/;
const NO_IMAGES = /image|vision|multi_?modal/;
const UNREADABLE_REQUEST = [400, 404, 413, 415, 422, 500, 501];

/** Faults that only another setting fixes, as one sentence that names it. */
function settingsFault(
  { words, pointers }: Said,
  { status }: Rejection,
  { hasImage }: RejectedCall,
): SettingsFaultError | null {
  const fault = (message: string, failure: "refused" | "rate-limited" = "refused") =>
    new SettingsFaultError({ message, failure, status });
  if (status === 402 || (status !== 404 && NO_QUOTA.test(words))) {
    const message = "the account has no quota left: check the plan behind OPENAI_API_KEY";
    return fault(message, "rate-limited");
  }
  if (status === 401 || (isRequestFault(status) && BAD_KEY.test(words))) {
    return fault(`the API key was not accepted${shown(status)}: check OPENAI_API_KEY`);
  }
  if (status === 403) {
    return fault("the API key may not use this model (403): check OPENAI_API_KEY and OPENAI_MODEL");
  }
  if (status === undefined || !UNREADABLE_REQUEST.includes(status)) return null;
  if (hasImage && NO_IMAGES.test(`${words}_${pointers}`)) {
    return fault(`the model accepts no images (${status}): check OPENAI_MODEL`);
  }
  if (TOO_LONG.test(words)) {
    return fault(
      `prompt and reply are too long for the model (${status}): check OPENAI_MAX_OUTPUT_TOKENS and OPENAI_MODEL`,
    );
  }
  return null;
}

function modelFault({ words }: Said, status: number | undefined): SettingsFaultError | null {
  if (!isRequestFault(status) || !NO_MODEL.test(words)) return null;
  const message = `no such model${shown(status)}: check OPENAI_MODEL`;
  return new SettingsFaultError({ message, status });
}

/** Without a status, the error came with status 200. */
const isRequestFault = (status: number | undefined): boolean =>
  status === undefined || status === 400 || status === 404 || status === 422;

const shown = (status: number | undefined): string => (status === undefined ? "" : ` (${status})`);

const PARAMETER_NAMES: Readonly<Record<RejectableParameter, RegExp>> = {
  response_format:
    /response_?(format|schema|mime)|json_?(schema|object|mode|validate)|structured_?output|guided|grammar|_schema|^schema/,
  token_limit: /max_?(completion_?|output_?|new_?)?tokens/,
  reasoning_effort:
    /reasoning(_?effort|\.effort|_(is|are|not|param|level|mode)|['"`\]]|$)|thinking_?(budget|level|config|is|not)/,
  system_role:
    /system_?(role|message|instruction|prompt)|developer_instruction|role.{0,30}system|roles_must_alternate/,
};

const REJECTING = [400, 404, 415, 422, 500, 501];
/** A server's own error may contain any word. */
const REJECTS = /must_be|should_be|support|implement|invalid|unexpected|unavailable|extra_/;
/** The others may mean anything else, too. */
const VAGUE = [400, 415, 422, 501];
const UNKNOWN_PARAMETER =
  /extra_(forbidden|inputs)|un(known|recognized|expected)_(request_)?(name|field|param|arg|keyword)|unsupported_?param|not_support_param|requested_parameters|additional_propert/;

function namedParameters(
  { pointers, words, raw }: Said,
  status: number | undefined,
  call: RejectedCall,
): ParameterRejection | null {
  if (status === undefined || !REJECTING.includes(status)) return null;
  if (status === 500 && !REJECTS.test(words)) return null;
  const namedIn = (text: string) => call.sent.filter((name) => PARAMETER_NAMES[name].test(text));
  const pointed = namedIn(pointers);
  const parameters = pointed.length > 0 ? pointed : namedIn(words);
  if (parameters.length === 0) return null;
  return {
    parameters,
    formats: RESPONSE_FORMATS.filter(
      (format) => format !== call.format && new RegExp(`['"\`]${format}['"\`]`).test(raw),
    ),
    isUnknown: UNKNOWN_PARAMETER.test(words) && !/json_schema|_type/.test(`${words}_${pointers}`),
  };
}

/** A call with everything that a server may not know is worth a repetition without. */
function vagueRejection({ words }: Said, status: number | undefined): ParameterRejection | null {
  if (status === undefined) return null;
  const isVague = VAGUE.includes(status) || (status === 404 && UNKNOWN_PARAMETER.test(words));
  return isVague ? { parameters: [], formats: [], isUnknown: true } : null;
}

const RATE_LIMIT_WORDS =
  /rate_?limit|too_many_requests|resource_?_?exhausted|overloaded|(^|_)429(_|$)/;

/** What a response means that rejects no parameter, or whose parameters cannot be changed any more. */
export function serverFault(rejection: Rejection): ProviderError {
  const { status, body, headers } = rejection;
  const retryAfterMs = readRetryAfter(headers, body);
  const fault = { provider: "openai", status, retryAfterMs } as const;
  if (status === 404) {
    const message = "no such model or address (404): check OPENAI_MODEL and OPENAI_BASE_URL";
    return new SettingsFaultError({ message, status });
  }
  if (status === 429 || (status === undefined && RATE_LIMIT_WORDS.test(wordsOf(body).words))) {
    return new ProviderError({ ...fault, failure: "rate-limited", message: "too many requests" });
  }
  const retryable = status === undefined || status >= 500 || status === 408 || status === 409;
  const message =
    status === undefined
      ? "the server gave no chat completion; if it stays so, check OPENAI_BASE_URL"
      : `the request was rejected with status ${status}`;
  return new ProviderError({ ...fault, failure: "refused", retryable, message });
}

const codedSchema = z.object({ code: z.coerce.number().int().min(400).max(599) });
const statusSchema = z.object({ status: z.coerce.number().int().min(400).max(599) });

const optional = z.unknown().optional();

/** The status that a body with status 200 stands for; undefined if it says none. */
export function statusInBody(body: unknown): number | undefined {
  const parts = z.object({ error: optional, choices: optional }).safeParse(body).data;
  const choice = z.array(z.object({ error: optional })).safeParse(parts?.choices).data?.[0];
  for (const part of [parts?.error, choice?.error, body]) {
    const status =
      codedSchema.safeParse(part).data?.code ?? statusSchema.safeParse(part).data?.status;
    if (status !== undefined) return status;
  }
  return undefined;
}
