import type { Access } from "@shared/contract/routes/define-route.ts";

/** By the roles of callers: visitor, pending, approved, admin. */
export type Statuses = [number, number, number, number];

/** Statuses of a valid request by who may call a route. */
export const STATUSES_BY_ACCESS: Record<Access, (success: number) => Statuses> = {
  public: (success) => [success, success, success, success],
  user: (success) => [401, success, success, success],
  approved: (success) => [401, 403, success, success],
  admin: (success) => [401, 403, 403, success],
  owner: (success) => [401, success, success, success],
  "queue-dashboard": (success) => [401, 403, 403, success],
};

/** Rows in which the test's request has another status, and further requests to a route. */
export const SPECIAL_ROWS: Record<string, Statuses> = {
  "POST /admin/telegram-channel/test": [401, 403, 403, 422],
  "POST /me/telegram-channel": [401, 403, 422, 422],
  "GET /ledger/heads/:day/ots (of a day without a proof)": [404, 404, 404, 404],
  "POST /verify-email": [422, 422, 422, 422],
  "POST /decline-registration": [422, 422, 422, 422],
  "POST /reset-password": [422, 422, 422, 422],
  "POST /change-password (wrong current one)": [401, 403, 403, 403],
  "POST /me/two-factor/confirm": [401, 422, 422, 422],
  "DELETE /me/two-factor": [401, 404, 404, 404],
  "DELETE /me/sessions/:id (of another)": [401, 404, 404, 404],
  "DELETE /me/api-keys/:id (of another)": [401, 404, 404, 404],

  "GET /mcp": [401, 405, 405, 405],

  "POST /get-signal": [401, 403, 202, 202],
  "POST /get-signal-with-image": [401, 403, 403, 403],
  "POST /get-signal-with-image (with image access)": [401, 403, 202, 202],
  "GET /signals/:id (of another)": [401, 403, 404, 404],
  "GET /signals/:id/candles (of another)": [401, 403, 404, 404],
  "GET /signals/:id/evidence (of another)": [401, 403, 404, 404],
  "GET /signals/:id/since (of another)": [401, 403, 404, 200],
  "PUT /signals/:id/note (of another)": [401, 403, 404, 404],
  "POST /signals/:id/share (of another)": [401, 403, 404, 404],
  "DELETE /signals/:id/share (of another)": [401, 403, 404, 404],
  "GET /shared/:token (void)": [404, 404, 404, 404],

  "PATCH /watchlist/:id (of another)": [401, 403, 404, 404],
  "DELETE /watchlist/:id (of another)": [401, 403, 404, 404],

  "PATCH /channels/:id (of another)": [401, 404, 404, 404],
  "DELETE /channels/:id (of another)": [401, 404, 404, 404],
  "POST /channels/:id/test (of another)": [401, 404, 404, 404],
  "GET /channels/:id/deliveries (of another)": [401, 404, 404, 404],
  "POST /channels/:id/deliveries/:deliveryId/resend (of another)": [401, 404, 404, 404],
  "POST /channels/:id/rotate-secret (of another)": [401, 404, 404, 404],
  "POST /unsubscribe (void)": [422, 422, 422, 422],

  "GET /payment_proofs/:filename (of another)": [401, 403, 403, 200],
  "GET /payment_proofs/:filename (signed)": [200, 200, 200, 200],
  "GET /payment_proofs/:filename (badly signed)": [403, 403, 403, 403],
  "GET /chart_uploads/:filename (of another)": [401, 403, 403, 200],
  "GET /chart_uploads/:filename (signed)": [200, 200, 200, 200],
  "GET /chart_uploads/:filename (badly signed)": [403, 403, 403, 403],

  "POST /admin/revoke/:username (their own account)": [401, 403, 403, 409],
  "POST /admin/delete-user/:username (their own account)": [401, 403, 403, 409],
  "GET /admin/queue (by token)": [401, 401, 401, 401],
};
