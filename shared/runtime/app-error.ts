import { ERROR_STATUS, type ErrorCode, type FieldError } from "@shared/contract/errors.ts";

/**
 * An error that is returned to the client. `detail` can be shown to users; `code` decides the status. `serviceCode`,
 * from an identity service, replaces `code` in the response.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
  readonly serviceCode: string | undefined;
  readonly errors: FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The signal that the request was about. */
  readonly signalId: string | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    extras: {
      errors?: FieldError[];
      retryAfterSeconds?: number;
      signalId?: string;
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
    this.signalId = extras.signalId;
  }
}
