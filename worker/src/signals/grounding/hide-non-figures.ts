/**
 * Numbers in a text that tell nothing of a market's figures, and so need no proof: dates and times, durations, counts of
 * candles, periods of indicators, chances, the trader's own stake.
 */
const NON_FIGURES: readonly RegExp[] = [
  // 2025-10-23, 2025-10-23T00:00:00.000Z, 23/10/2025
  /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?Z?\b/g,
  /\b\d{1,2}[/.]\d{1,2}[/.]\d{4}\b/g,
  // 23 October 2025, Oct 23rd, October 2025
  /\b\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:,?\s+\d{4})?\b/gi,
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,4}(?:st|nd|rd|th)?(?:,?\s+\d{4})?\b/gi,
  // 12:30, 09:00:00 UTC, 9 am
  /\b(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?:\s*(?:UTC|GMT|[ap]m))?\b/gi,
  /\b\d{1,2}\s?[ap]\.?m\b/gi,
  // 4h, 5m, 24–48h; a capital M is a million
  /\b\d+(?:\.\d+)?(?:\s?(?:-|–|—|to|or)\s?\d+(?:\.\d+)?)?\s?[smhdwHDW]\b/g,
  // 15-minute, 6 to 12 hours
  /\b\d+(?:\.\d+)?(?:\s*(?:-|–|—|to|or)\s*\d+(?:\.\d+)?)?[\s-]*(?:secs?|seconds?|mins?|minutes?|hrs?|hours?|hourly|days?|daily|weeks?|weekly|months?|years?)\b/gi,
  // 20 candles, last 3 closed bars, 20-period, 2 to 4 candles
  /\b\d+(?:\s*(?:-|–|—|to|or)\s*\d+)?[\s-]*(?:[a-z]+[\s-]+){0,2}?(?:candles?|candlesticks?|bars?|periods?|sessions?|closes)\b/gi,
  // RSI(14), RSI 14, EMA20, EMA 20/50/200, EMA(20, 50 and 200), MACD (12, 26, 9), Bollinger(20, 2)
  /\bRSI[\s-]*\(?\s*14\b(?!\.\d)\s*\)?/gi,
  /\bATR[\s-]*\(?\s*14\b(?!\.\d)\s*\)?/gi,
  /\b[ES]?MAs?[\s-]*\(?\s*(?:20|50|200)\b(?![.,]\d)(?:\s*(?:\/|,|and|&|,\s*and)\s*(?:20|50|200)\b(?![.,]\d))*\s*\)?/gi,
  /\b(?:20|50|200)(?:\s*(?:\/|,|and|&|,\s*and)\s*(?:20|50|200))*[\s-]*[ES]?MAs?\b/gi,
  /\b(?:MACD|Bollinger(?:\s+bands?)?)\s*\(\s*\d+(?:\s*[,/]\s*\d+){0,2}\s*\)/gi,
  // 72% confidence, a 60% chance, confidence of 72, 1% of capital, 3x leverage
  /\b\d+(?:\.\d+)?\s*%?\s*(?:confidence|confident|probability|chance|likelihood|odds|certain)/gi,
  /\b(?:confidence|probability|chance|likelihood|odds)[a-z\s:=]{0,20}\d+(?:\.\d+)?\s*%?/gi,
  /\b\d+(?:\.\d+)?(?:\s*[-–]\s*\d+(?:\.\d+)?)?\s*%\s+of\s+(?:the\s+|your\s+|my\s+)?(?:account|capital|equity|balance|portfolio|stake)/gi,
  /\b\d+(?:\.\d+)?\s*[x×]?\s*leverage/gi,
  // 1st, 2nd; words with digits in them: US30, H4, Q3
  /\b\d+(?:st|nd|rd|th)\b/gi,
  /\b[A-Z]{1,5}\d+[A-Z0-9]*\b/gi,
];

/** Stands for a hidden character: no digit, no letter, and not a blank, so that nothing grows together. */
const HIDDEN = "\u00b7";

/** The text with everything hidden that holds no figure; all places stay the same. */
export function hideNonFigures(text: string): string {
  return NON_FIGURES.reduce(
    (visible, pattern) => visible.replace(pattern, (match) => HIDDEN.repeat(match.length)),
    text,
  );
}
