/** The product's own worker, which besides tells how much memory it holds: a line `{"rssBytes":…}` each time. */
const EVERY_MS = 100;

setInterval(() => {
  process.stdout.write(`${JSON.stringify({ rssBytes: process.memoryUsage.rss() })}\n`);
}, EVERY_MS).unref();

await import("../../worker/src/main.ts");

export {};
