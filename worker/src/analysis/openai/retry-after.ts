const MS_PER_SECOND = 1_000;

/** `try again in 1.5s`, `Please retry in 22 seconds`, `"retryDelay": "22s"`, `"retry_after": 5`. */
const IN_TEXT = [
  /(?:try again|retry)[\w ]{0,20}? in (\d+(?:\.\d+)?)\s*(ms|s\b|sec|seconds|m\b|minutes?)/i,
  /retry_?(?:delay|after)(?:_?seconds)?["\\]*\s*:\s*["\\]*(\d+(?:\.\d+)?)(ms)?/i,
];

/** How long the server wants to be left alone, in milliseconds: by its headers, or by what the body says. */
export function readRetryAfter(headers: Headers, body: string): number | undefined {
  return fromHeaders(headers) ?? fromText(body);
}

function fromHeaders(headers: Headers): number | undefined {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (ms >= 0) return ms;
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const seconds = Number(text);
  if (seconds >= 0) return seconds * MS_PER_SECOND;
  // By the clock of the server, which may differ from that of this machine.
  const pause = Date.parse(text) - Date.parse(headers.get("date") ?? "");
  return pause >= 0 ? pause : undefined;
}

function fromText(body: string): number | undefined {
  for (const pattern of IN_TEXT) {
    const [, figure, unit = "s"] = pattern.exec(body) ?? [];
    if (figure !== undefined) return Number(figure) * msPer(unit);
  }
  return undefined;
}

function msPer(unit: string): number {
  if (unit === "ms") return 1;
  return unit.startsWith("m") ? 60 * MS_PER_SECOND : MS_PER_SECOND;
}
