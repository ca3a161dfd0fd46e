import type { Rationale } from "./signal.ts";

/** A text, or a line for each topic: the rationale of other analysts may be an object. */
export function rationaleContent(rationale: Rationale): string | string[] {
  return typeof rationale === "string" ? rationale : linesOf(rationale);
}

export const rationaleText = (rationale: Rationale): string =>
  [rationaleContent(rationale)].flat().join("\n");

function linesOf(value: object): string[] {
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, item]) => {
    const text = textOf(item);
    if (text === "") return [];
    return isList ? text : `${topicOf(key)}: ${text}`;
  });
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? linesOf(value).join("; ") : String(value).trim();
}

/** `market_structure` and `marketStructure` are both `Market structure`. */
function topicOf(key: string): string {
  const words = key
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}
