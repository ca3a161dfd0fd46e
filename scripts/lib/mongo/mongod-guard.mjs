// @ts-check
// Runs beside a mongod, which cannot notice that its launcher is gone: when the pipe from the
// launcher closes, the mongod with the given process id is told to stop.

const mongodPid = Number(process.argv[2]);

process.stdin.resume();
process.stdin.once("close", () => {
  try {
    process.kill(mongodPid, "SIGTERM");
  } catch {
    // It has ended by itself.
  }
});
