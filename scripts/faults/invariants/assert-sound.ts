import { JOBS } from "../stage/signal-places.ts";
import type { Stage } from "../stage/stage.ts";
import { until } from "../until.ts";
import { attemptsAskOnce } from "./attempts-ask-once.ts";
import { creditsAddUp } from "./credits-add-up.ts";
import { filesHaveOwners } from "./files-have-owners.ts";
import { ledgerVerifies } from "./ledger-verifies.ts";
import { logsAreCalm, processesAreWell } from "./processes-are-well.ts";
import { requestsMakeOneSignal, signalsEndOnce } from "./signals-end-once.ts";
import { socketsMissNothing, streamsHaveNoGaps } from "./streams-have-no-gaps.ts";

/** The longest that anything accepted may take: the product promises 90 s from a worker's death. */
const QUIET_WITHIN_MS = 100_000;

/**
 * Holds the whole product to what must be true whatever died, once all that was accepted has ended.
 * @throws Error naming everything that is not as it should be
 */
export async function assertSound(stage: Stage): Promise<void> {
  await untilQuiet(stage);
  const faults = [
    ...(await signalsEndOnce(stage)),
    ...(await attemptsAskOnce(stage)),
    ...(await requestsMakeOneSignal(stage)),
    ...(await creditsAddUp(stage)),
    ...(await filesHaveOwners(stage)),
    ...(await streamsHaveNoGaps(stage)),
    ...(await socketsMissNothing(stage)),
    ...(await ledgerVerifies(stage)),
    ...(await processesAreWell(stage)),
    ...logsAreCalm(stage),
  ];
  if (faults.length > 0) throw new Error(`not sound:\n${faults.slice(0, MOST_SHOWN).join("\n")}`);
}

const MOST_SHOWN = 30;

/** No signal is unfinished, and no job for one is left. */
async function untilQuiet({ database }: Stage): Promise<void> {
  await until(
    async () => {
      const signals = await database.signals.countDocuments({
        status: { $in: ["queued", "running"] },
      });
      const jobs = await database.connection
        .collection(JOBS)
        .countDocuments({ name: "generate-signal" });
      return signals + jobs === 0;
    },
    { what: "every signal to end and the queue to be empty", withinMs: QUIET_WITHIN_MS },
  );
}
