import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { UnreadableReplyError } from "../analyst.ts";
import { findJsonObjects, JsonTextError } from "./find-json-objects.ts";

export const MAX_REPLY_LENGTH = 50_000;

/** What an answer lacks, as a sentence for the model. */
export class ReplyFault extends Error {
  override readonly name = "ReplyFault";
}

interface Answer {
  /** The object that answers. */
  object: unknown;
  /** All of the JSON that it stands in. */
  json: unknown;
  /** Everything beside the JSON. */
  prose: string;
}

/**
 * Reads the one JSON object of a reply: alone, fenced, in prose, in a list or another object, after the model's thinking.
 * Nothing is completed: a reply that is cut off, or contains several different objects, has no answer.
 * @param field of the object that is looked for
 * @param parse throws ReplyFault for an object that is no answer
 * @throws UnreadableReplyError with a sentence for the model
 */
export function readAnswer<Parsed>(
  rawReply: string,
  field: string,
  parse: (answer: Answer) => Parsed,
): Parsed {
  const unreadable = (reason: string, cause?: unknown) =>
    new UnreadableReplyError({ reason, rawReply: rawReply.slice(0, MAX_REPLY_LENGTH), cause });
  if (rawReply.length > MAX_REPLY_LENGTH) throw unreadable("The answer is far too long.");
  try {
    return parse(findAnswer(withoutThinking(rawReply), field));
  } catch (error) {
    if (error instanceof ReplyFault || error instanceof JsonTextError) {
      throw unreadable(error.message, error);
    }
    throw error;
  }
}

const TAG = "(?:think|thinking|thought|reasoning|reflection)";
const THOUGHT_STARTS = `<${TAG}\\b[^>]*>|\\[THINK\\]|◁think▷|<\\|channel\\|>analysis`;
const THOUGHT_ENDS = `</${TAG}\\s*>|\\[/THINK\\]|◁/think▷|<\\|channel\\|>final\\s*<\\|message\\|>`;
const THOUGHTS = new RegExp(`(?:${THOUGHT_STARTS})[\\s\\S]*?(?:${THOUGHT_ENDS})`, "gi");
const THOUGHT_END = new RegExp(THOUGHT_ENDS, "gi");
const THOUGHT_START = new RegExp(THOUGHT_STARTS, "i");

/** What follows the thinking. Some servers leave out its first tag; while the last one is missing, there is no answer. */
export function withoutThinking(reply: string): string {
  const rest = reply.replaceAll(THOUGHTS, "\n");
  const end = [...rest.matchAll(THOUGHT_END)].at(-1);
  const answer = end ? rest.slice(end.index + end[0].length) : rest;
  return THOUGHT_START.test(answer) ? "" : answer.trim();
}

function findAnswer(text: string, field: string): Answer {
  if (text === "") throw new ReplyFault("The answer is empty.");
  const { values, prose } = findJsonObjects(fromJsonText(text));
  const [first, ...others] = values;
  if (first === undefined) throw new ReplyFault("The answer contains no JSON object.");
  if (others.some((other) => !isDeepStrictEqual(first, other))) {
    throw new ReplyFault("The answer contains several different JSON objects.");
  }
  return { object: unwrapped(first, field), json: first, prose };
}

/** Some models write the object as a JSON text in quotes. */
function fromJsonText(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return z.string().parse(JSON.parse(text));
  } catch {
    return text;
  }
}

export const objectSchema = z.record(z.string(), z.unknown());

/** Keys that may stand beside wrapped advice, as in a tool call that a model writes as text. */
const LABELS = ["id", "name", "role", "status", "type"];

/** `[A]`, `{"advice": A}` and `{"name": "advice", "arguments": A}` are A. */
function unwrapped(value: unknown, field: string): unknown {
  if (Array.isArray(value)) return value.length === 1 ? unwrapped(value[0], field) : value;
  const object = objectSchema.safeParse(value).data;
  if (!object || field in object) return value;
  const inner = Object.entries(object).filter(
    ([key, item]) => !(LABELS.includes(key) && typeof item === "string"),
  );
  const [entry] = inner;
  return inner.length === 1 && typeof entry?.[1] === "object" ? unwrapped(entry[1], field) : value;
}
