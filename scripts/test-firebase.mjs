// @ts-check
// `npm run test:firebase`: the Firebase provider against the emulator of its vendor.
import process from "node:process";
import { packageBin } from "./lib/package-bin.mjs";
import { PlainError } from "./lib/plain-error.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";
import { projectRoot } from "./lib/project-root.mjs";
import { runCommand } from "./lib/run-command.mjs";
import { runMain } from "./lib/run-main.mjs";
import { listenForStop } from "./lib/stop-signal.mjs";
import { startAuthEmulator } from "./test-firebase/auth-emulator.mjs";
import { ensureFirebaseTools } from "./test-firebase/ensure-firebase-tools.mjs";

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
    if (code !== 0) throw new PlainError("The Firebase provider does not agree with the emulator.");
  } finally {
    await emulator.stop();
  }
});
