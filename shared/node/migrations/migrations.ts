import { dropUnusedJobIndex } from "./drop-unused-job-index.ts";
import { dropUnusedSignalIndex } from "./drop-unused-signal-index.ts";
import { judgeEarlierSignals } from "./judge-earlier-signals.ts";
import type { Migration } from "./migration.ts";

/** All steps ever released, oldest first; new ones are added at the end. */
export const MIGRATIONS: readonly Migration[] = [
  judgeEarlierSignals,
  dropUnusedJobIndex,
  dropUnusedSignalIndex,
];
