import pino from "pino";

/** Characters that wait in memory while the log cannot be written; later lines are lost. */
const MOST_WAITING = 1_048_576;

/** Lines are written together, when there are this many characters of them or after this time. */
const WRITE_AT_LENGTH = 4_096;
const WRITE_EVERY_MS = 100;

/** A destination as pino opens it. */
export type LogDestination = ReturnType<typeof pino.destination>;

/**
 * Where log lines go: a few of them with one system call, which costs as much as making a dozen. That they cannot be
 * written, as to a disk that is full, is no reason to stop working: the lines wait, and are tried again.
 * @param options.target a file, or the number of an open one
 * @param options.onRecovered called once lines can be written again, with how many were lost
 */
export function openLogDestination(options: {
  target: string | number;
  onRecovered: (lostLines: number) => void;
}): LogDestination {
  const destination = pino.destination({
    dest: options.target,
    maxLength: MOST_WAITING,
    minLength: WRITE_AT_LENGTH,
    periodicFlush: WRITE_EVERY_MS,
  });
  const flushSync = destination.flushSync.bind(destination);
  let isFailing = false;
  let lostLines = 0;
  destination.on("error", () => {
    isFailing = true;
  });
  destination.on("drop", () => {
    lostLines += 1;
  });
  destination.on("write", () => {
    if (!isFailing) return;
    const lost = lostLines;
    isFailing = false;
    lostLines = 0;
    setImmediate(() => options.onRecovered(lost));
  });
  // At the end of the process pino writes what still waits, again and again until it succeeds: on a full disk for ever.
  destination.flushSync = () => {
    if (!isFailing) flushSync();
  };
  return destination;
}
