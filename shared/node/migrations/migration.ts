import type { Db } from "mongodb";

/** One step from one shape of the stored data to the next. */
export interface Migration {
  /** Day and purpose, such as `2026-11-21-judge-earlier-signals`; never changed once released. */
  id: string;
  /**
   * Takes the step. It may die in the middle and is then taken again from the start, and parts of the release before may
   * still be at work beside it.
   */
  up(db: Db): Promise<void>;
}
