// @ts-check
// Runs beside a mongod, which cannot notice that its launcher has exited: when the pipe from the
// launcher closes, it stops the mongod with the given process id.

const mongodPid = Number(process.argv[2]);

process.stdin.resume();
process.stdin.once("close", () => {
  try {
    process.kill(mongodPid, "SIGTERM");
  } catch {
    // It has exited.
  }
});
