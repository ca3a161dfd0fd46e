import { z } from "zod";

/** Every error code with its HTTP status. */
export const ERROR_STATUS = {
  "malformed-body": 400,
  unauthenticated: 401,
  "invalid-credentials": 401,
  "two-factor-required": 401,
  "no-credits": 402,
  "not-approved": 403,
  "not-admin": 403,
  "image-not-allowed": 403,
  "file-not-allowed": 403,
  "wrong-password": 403,
  "email-not-verified": 403,
  "foreign-origin": 403,
  "key-scope": 403,
  "reauthentication-required": 403,
  "two-factor-enrolment-required": 403,
  "not-found": 404,
  "method-not-allowed": 405,
  "auth/username-already-in-use": 409,
  "auth/email-already-in-use": 409,
  "own-account": 409,
  "last-admin": 409,
  "subscription-running": 409,
  "two-factor-enabled": 409,
  "already-watched": 409,
  "already-exists": 409,
  "idempotency-conflict": 409,
  "proof-changed": 409,
  "body-timeout": 408,
  "file-too-large": 413,
  "body-too-large": 413,
  "not-an-image": 415,
  "invalid-token": 422,
  "invalid-code": 422,
  "invalid-input": 422,
  "watchlist-full": 422,
  "channel-unavailable": 422,
  "too-many-channels": 422,
  "too-many-keys": 422,
  "rate-limited": 429,
  internal: 500,
  unavailable: 503,
  timeout: 504,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUS;

export const fieldErrorSchema = z.object({ field: z.string(), message: z.string() });
export type FieldError = z.infer<typeof fieldErrorSchema>;

/** `detail` is a sentence for users. */
export const errorBodySchema = z
  .object({
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    errors: z.array(fieldErrorSchema).optional(),
    /** Of `timeout`: the signal that will still be finished. */
    signal_id: z.string().optional(),
  })
  .meta({ id: "Error" });
export type ErrorBody = z.infer<typeof errorBodySchema>;
