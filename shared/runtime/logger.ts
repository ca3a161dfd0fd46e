import pino from "pino";

/** Field names whose values never reach a log line, wherever they stand. */
const SECRET_FIELDS = [
  "password",
  "current_password",
  "new_password",
  "token",
  "authorization",
  "cookie",
  "JWT_SECRET",
  "ADMIN_PASSWORD",
  "OPENAI_API_KEY",
  "OANDA_TOKEN",
  "FIREBASE_API_KEY",
  "SMTP_URL",
  "MONGODB_URI",
];
const redactedPaths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);

const STANDARD_OUTPUT = 1;

/** Lines of this level and above are written at once, in case the process is about to die of what they tell. */
const WRITTEN_AT_ONCE = pino.levels.values.warn ?? 40;

export type Logger = pino.Logger;

/** A structured logger for one part (`server`, `worker`); secrets are blanked out by field name. */
export function createLogger(options: {
  part: string;
  level: string;
  destination?: pino.DestinationStream;
}): Logger {
  const output = options.destination ? undefined : openStandardOutput(() => logger);
  const logger: Logger = pino(
    {
      level: options.level,
      base: { part: options.part, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: redactedPaths, censor: "[secret]" },
      hooks: {
        logMethod(line, log, level) {
          log.apply(this, line);
          if (level >= WRITTEN_AT_ONCE) output?.flush();
        },
      },
    },
    options.destination ?? output,
  );
  return logger;
}

let standardOutput: LogDestination | undefined;

/** The one of this process, whose last lines are written as it ends. */
function openStandardOutput(logger: () => Logger): LogDestination {
  if (standardOutput) return standardOutput;
  const opened = openLogDestination({
    target: STANDARD_OUTPUT,
    onRecovered: (lostLines) => logger().warn({ lostLines }, "the log can be written again"),
  });
  process.once("exit", () => opened.flushSync());
  standardOutput = opened;
  return opened;
}

/** Characters that wait in memory while the log cannot be written; later lines are lost. */
const MOST_WAITING = 1_048_576;

/** Lines are written together, when there are this many characters of them or after this time. */
const WRITE_AT_LENGTH = 4_096;
const WRITE_EVERY_MS = 100;

/** A destination as pino opens it. */
type LogDestination = ReturnType<typeof pino.destination>;

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
