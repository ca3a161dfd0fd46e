// @ts-check
// Preloaded into every service, so that it stops when the launcher has exited.

const GRACE_MS = 5_000;

if (process.channel) {
  process.once("disconnect", () => {
    // An event, as Windows has no signals and `process.kill` would end the process at once.
    if (!process.emit("SIGTERM", "SIGTERM")) process.exit(1);
    setTimeout(() => process.exit(1), GRACE_MS).unref();
  });
  process.channel.unref();
}
