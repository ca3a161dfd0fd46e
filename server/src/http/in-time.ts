import { performance } from "node:perf_hooks";
import { unavailable } from "./errors.ts";

/** The API promises its 503 within 10 s. */
const ANSWER_WITHIN_MS = 9_000;

/**
 * The result of work that needs nothing but the database. Each step has a limit of its own, but several that are slow one
 * after the other may take longer together. The work goes on, and may still succeed.
 * @param startedMs when the request came
 * @throws AppError unavailable if it takes too long
 */
export async function inTime<Result>(startedMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const leftMs = ANSWER_WITHIN_MS - (performance.now() - startedMs);
    timer = setTimeout(() => reject(unavailable()), Math.max(0, leftMs));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
