// @ts-check
// `npm run screenshots`: the pictures of the README, taken from a product filled with made-up data.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { prepareProject } from "./lib/prepare-project.mjs";
import { runMain } from "./lib/run-main.mjs";
import { listenForStop } from "./lib/stop-signal.mjs";

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(130) });
  await prepareProject(signal);
  const { startEmbeddedMongo } = await import("./lib/embedded-mongo.mjs");
  const { startDemoProduct } = await import("./lib/demo-product.mjs");
  const { fillWithDemoData } = await import("./lib/demo-data.mjs");
  const { takeScreenshots } = await import("./lib/screenshots.mjs");
  const folder = await mkdtemp(join(tmpdir(), "screenshots-"));
  const database = await startEmbeddedMongo({ dataDir: folder, say: console.log, signal });
  try {
    const dataDir = ".data/screenshots";
    const product = await startDemoProduct({ dataDir, mongodbUri: database.uri, signal });
    try {
      const people = await fillWithDemoData({ product, mongodbUri: database.uri });
      await takeScreenshots({ product, people, say: console.log });
    } finally {
      await product.stop();
    }
  } finally {
    await database.part.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
