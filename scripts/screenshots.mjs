// @ts-check
// `npm run screenshots`: the pictures of the README, taken from a product filled with made-up data.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { listenForStop, runMain } from "./lib/cli.mjs";
import { prepareProject } from "./lib/prepare-project.mjs";

await runMain(async () => {
  const signal = listenForStop({ onSecond: () => process.exit(130) });
  await prepareProject(signal);
  const { startEmbeddedMongo } = await import("./lib/mongo/embedded-mongo.mjs");
  const { startDemoProduct } = await import("./lib/release/demo-product.mjs");
  const { fillWithDemoData } = await import("./lib/release/screenshots.mjs");
  const { takeScreenshots } = await import("./lib/release/screenshots.mjs");
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
