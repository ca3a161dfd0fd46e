import { ERROR_STATUS, type ErrorCode, type FieldError } from "@shared/contract/errors.ts";

/**
 * A failure that its receiver should hear of. Thrown deep, turned into an answer once, by the error handler.
 * `detail` is a plain sentence fit to be shown; `code` decides the HTTP status. Where an identity service had a code
 * of its own for the failure, `serviceCode` holds it, and it is what the receiver is told in place of `code`.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
  readonly serviceCode: string | undefined;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    extras: {
      errors?: FieldError[];
      retryAfterSeconds?: number;
      serviceCode?: string;
      cause?: unknown;
    } = {},
  ) {
    super(detail, { cause: extras.cause });
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.detail = detail;
    this.serviceCode = extras.serviceCode;
    this.errors = extras.errors;
    this.retryAfterSeconds = extras.retryAfterSeconds;
  }
}
