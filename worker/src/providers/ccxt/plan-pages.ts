/** One request for `count` candles from the opening time `since` on, in Unix milliseconds. */
export interface Page {
  since: number;
  count: number;
}

/** Cuts a range of `count` candles into requests of at most `pageSize`, oldest first. */
export function planPages(options: {
  since: number;
  count: number;
  stepMs: number;
  pageSize: number;
}): Page[] {
  const { since, count, stepMs, pageSize } = options;
  return Array.from({ length: Math.ceil(count / pageSize) }, (_, page) => ({
    since: since + page * pageSize * stepMs,
    count: Math.min(pageSize, count - page * pageSize),
  }));
}
