// @ts-check
// Preloaded into every part: when the launcher is gone, however it went, the part stops too.

const GRACE_MS = 5_000;

if (process.channel) {
  process.once("disconnect", () => {
    process.kill(process.pid, "SIGTERM");
    setTimeout(() => process.exit(1), GRACE_MS).unref();
  });
  process.channel.unref();
}
