import pino from "pino";
import { type LogDestination, openLogDestination } from "./log-destination.ts";

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
