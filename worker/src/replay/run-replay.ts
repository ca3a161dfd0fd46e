import { openDatabase } from "@shared/node/database.ts";
import { describeReplay, EXIT_CODES } from "./describe-replay.ts";
import { replayStoredSignal } from "./replay-stored-signal.ts";

/** Recomputes one signal of the database at `uri`; what to say of it, and the exit code that says it again. */
export async function runReplay(options: {
  uri: string;
  signalId: string;
}): Promise<{ text: string; exitCode: number }> {
  const { uri, signalId } = options;
  const database = await openDatabase({ uri });
  try {
    const replay = await replayStoredSignal(database, signalId);
    return { text: describeReplay(signalId, replay), exitCode: EXIT_CODES[replay.verdict] };
  } finally {
    await database.close();
  }
}
