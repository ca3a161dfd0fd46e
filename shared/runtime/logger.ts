import pino from "pino";
import { SECRET_SETTINGS } from "./settings.ts";

/** Names of headers, of fields of requests, and of settings. */
const SECRET_FIELDS = [
  "password",
  "current_password",
  "new_password",
  "token",
  "authorization",
  "cookie",
  ...SECRET_SETTINGS,
];
const redactedPaths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);

const STANDARD_OUTPUT = 1;

/** Lines of this level and above are written at once, in case the process crashes next. */
const FLUSH_LEVEL = pino.levels.values.warn ?? 40;

export type Logger = pino.Logger;

/** A structured logger of one service (`server`, `worker`). Secrets are blanked out by field name. */
export function createLogger(options: {
  service: string;
  level: string;
  destination?: pino.DestinationStream;
}): Logger {
  const output = options.destination ? undefined : openStandardOutput(() => logger);
  const logger: Logger = pino(
    {
      level: options.level,
      base: { service: options.service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: redactedPaths, censor: "[secret]" },
      hooks: {
        logMethod(line, log, level) {
          log.apply(this, line);
          if (level >= FLUSH_LEVEL) output?.flush();
        },
      },
    },
    options.destination ?? output,
  );
  return logger;
}

type LogDestination = ReturnType<typeof pino.destination>;

let standardOutput: LogDestination | undefined;

/** The standard output of this process, opened once. Its last lines are written when the process exits. */
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

/** Characters kept in memory while the log cannot be written. Later lines are lost. */
const MAX_WAITING_LENGTH = 1_048_576;

/** Lines are written together: once they have this many characters, or after this time. */
const WRITE_AT_LENGTH = 4_096;
const WRITE_INTERVAL_MS = 100;

/**
 * Opens a destination for log lines. If they cannot be written, as on a full disk, they are kept and retried, so that the
 * process continues.
 * @param options.target a file, or the number of an open one
 * @param options.onRecovered called when lines can be written again, with how many were lost
 */
export function openLogDestination(options: {
  target: string | number;
  onRecovered: (lostLines: number) => void;
}): LogDestination {
  const destination = pino.destination({
    dest: options.target,
    // An asynchronous write could still be running when the last lines are written at exit, and end after them.
    sync: true,
    maxLength: MAX_WAITING_LENGTH,
    minLength: WRITE_AT_LENGTH,
    periodicFlush: WRITE_INTERVAL_MS,
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
  // It retries until it succeeds, so on a full disk the process would never exit.
  destination.flushSync = () => {
    if (!isFailing) flushSync();
  };
  return destination;
}
