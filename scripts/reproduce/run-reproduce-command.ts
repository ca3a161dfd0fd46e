import { loadWorkerSettings, readDotEnv } from "@shared/runtime/settings.ts";
import { EXIT_CODES, runReproduction } from "../../worker/src/reproduce/run-reproduce.ts";
import type { Command } from "../lib/cli.ts";
import { withDatabase } from "../lib/mongo/embedded-mongo.ts";

/** Makes a finished signal again from its provenance and candles. */
export async function main({ args, say }: Command): Promise<number> {
  const [signalId] = args;
  if (!signalId) {
    console.error("Which signal? npm run reproduce -- <signal id>");
    return EXIT_CODES.impossible;
  }
  readDotEnv();
  const { text, exitCode } = await withDatabase(loadWorkerSettings(), (uri) =>
    runReproduction({ uri, signalId }),
  );
  say(text);
  return exitCode;
}
