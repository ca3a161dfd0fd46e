// @ts-check
// `npm run test:firebase`: the Firebase provider against the emulator of its vendor.
import process from "node:process";
import { CliError, listenForStop, runMain } from "./lib/cli.mjs";
import { packageBin, runCommand } from "./lib/commands.mjs";
import { prepareProject, projectRoot } from "./lib/prepare-project.mjs";
import { ensureFirebaseTools, startAuthEmulator } from "./test-firebase/auth-emulator.mjs";

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(130) });
  await prepareProject(signal);
  const emulator = await startAuthEmulator({
    program: await ensureFirebaseTools({ signal }),
    signal,
  });
  try {
    const { code } = await runCommand({
      command: process.execPath,
      args: [packageBin("vitest"), "run", "--config", "scripts/test-firebase/vitest.config.ts"],
      cwd: projectRoot,
      env: {
        ...process.env,
        AUTH_EMULATOR_URL: emulator.url,
        AUTH_EMULATOR_PROJECT: emulator.project,
      },
      output: "inherit",
      signal,
    });
    signal.throwIfAborted();
    if (code !== 0) throw new CliError("The Firebase provider does not agree with the emulator.");
  } finally {
    await emulator.stop();
  }
});
