const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * A text of at most `maxLength` UTF-16 code units, which ends with `…` if it was longer. It is cut between characters as
 * readers see them: half an emoji is no valid text, and services refuse it.
 */
export function cutText(text: string, maxLength: number): string {
  const valid = text.toWellFormed();
  if (valid.length <= maxLength) return valid;
  let end = 0;
  // A character has fewer code units than this, except in texts made to be long.
  const start = valid.slice(0, maxLength + MAX_CHARACTER_LENGTH);
  for (const { index, segment } of graphemes.segment(start)) {
    if (index + segment.length > maxLength - 1) break;
    end = index + segment.length;
  }
  return `${valid.slice(0, end)}…`;
}

const MAX_CHARACTER_LENGTH = 40;
