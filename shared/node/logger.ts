import pino from "pino";
import { openLogDestination } from "./log-destination.ts";

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

export type Logger = pino.Logger;

/** A structured logger for one part (`server`, `worker`); secrets are blanked out by field name. */
export function createLogger(options: {
  part: string;
  level: string;
  destination?: pino.DestinationStream;
}): Logger {
  const standardOutput = () =>
    openLogDestination({
      target: STANDARD_OUTPUT,
      onRecovered: (lostLines) => logger.warn({ lostLines }, "the log can be written again"),
    });
  const logger = pino(
    {
      level: options.level,
      base: { part: options.part, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: redactedPaths, censor: "[secret]" },
    },
    options.destination ?? standardOutput(),
  );
  return logger;
}
