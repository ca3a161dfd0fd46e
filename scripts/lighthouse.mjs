// @ts-check
// `npm run lighthouse`: starts the product with recorded data and measures its screens. Fails below
// the limits in lib/release/lighthouse.mjs. The figures mean something only on a machine with nothing else to do.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { listenForStop, runMain } from "./lib/cli.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(130) });
  await prepareProject(signal);
  const { startDemoProduct } = await import("./lib/release/demo-product.mjs");
  const { measureScreens } = await import("./lib/release/lighthouse.mjs");
  const { findFailures, reportTable } = await import("./lib/release/lighthouse.mjs");
  const product = await startDemoProduct({ dataDir: ".data/lighthouse", signal });
  const profile = await mkdtemp(join(tmpdir(), "lighthouse-"));
  try {
    const results = await measureScreens({ product, profile, say: console.log, signal });
    console.log(reportTable(results));
    const failures = findFailures(results);
    for (const failure of failures) console.error(failure);
    if (failures.length > 0) process.exitCode = 1;
  } finally {
    await product.stop();
    await rm(profile, { recursive: true, force: true });
  }
});
