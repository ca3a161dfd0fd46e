import type { ErrorCode, FieldError } from "@shared/contract/errors.ts";

interface ApiErrorInit {
  /** HTTP status; 0 when no answer came. */
  status: number;
  statusText?: string;
  /** A code of the contract, or `network`, `timeout`, `bad-reply` for what happens on the way. */
  code: string;
  fieldErrors?: FieldError[];
  cause?: unknown;
}

/** A request that did not succeed. The message is for users. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly statusText: string;
  readonly code: string;
  readonly fieldErrors: FieldError[];

  constructor(detail: string, init: ApiErrorInit) {
    super(detail, { cause: init.cause });
    this.status = init.status;
    this.statusText = init.statusText ?? "";
    this.code = init.code;
    this.fieldErrors = init.fieldErrors ?? [];
  }

  /** The client's own time-out and a 504 are the same to the user. */
  get isTimeout(): boolean {
    return this.code === "timeout";
  }

  get isNetwork(): boolean {
    return this.code === "network";
  }
}

export function errorText(error: unknown, fallback: string): string {
  if (error instanceof Error && error.message) return error.message;
  return fallback;
}

export const hasCode = (error: unknown, code: ErrorCode): boolean =>
  error instanceof ApiError && error.code === code;

export type FormErrors = Record<string, string>;

interface Issue {
  path: PropertyKey[];
  message: string;
}

/** What a schema found wrong, in the shape in which the server says it. */
export const issuesToFieldErrors = (issues: Issue[]): FieldError[] =>
  issues.map(({ path, message }) => ({ field: String(path[0] ?? ""), message }));

/** Messages by field; the first one of each field counts. */
export const toFormErrors = (fieldErrors: FieldError[]): FormErrors =>
  Object.fromEntries(
    fieldErrors.toReversed().map(({ field, message }) => [field, message] as const),
  );
