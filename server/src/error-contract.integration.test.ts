import { type ErrorCode, errorBodySchema } from "@shared/contract/errors.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { type FormValue, multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { startDatabaseRelay } from "@shared/testing/failing-database.ts";
import { chartImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ABUSABLE_ROUTES, startTestServer, type TestServer } from "./testing/start-test-server.ts";

type CallOptions = NonNullable<Parameters<TestServer["call"]>[1]>;
type Fields = Record<string, FormValue>;

const SIX_MEGABYTES = 6 * 1_024 * 1_024;
const PENDING: Partial<UserRecord> = {};
const APPROVED: Partial<UserRecord> = { approved: true };
const WITH_IMAGES: Partial<UserRecord> = { ...APPROVED, allowImageUpload: true, imageCredits: 5 };
const ADMIN: Partial<UserRecord> = { ...APPROVED, role: "admin" };
const SIGNAL = { symbol: "BTC/USDT", timeframe: "1h" };
const NEW_ACCOUNT = { username: "newcomer", email: "new@example.com", password: "secret-1" };

const INCOMPLETE_PROOF = "Please provide both sender name and a file.";
const SHORT_PASSWORD = "New password must be at least 6 characters long.";
const NO_CREDITS =
  "You don't have any image analysis credits. Please recharge your account to continue.";
const WRONG_PASSWORD = "Failed to change password. Please check your current password.";
const TOO_SLOW = "Server took too long to respond. Please try again.";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ databaseUri: testDatabaseUri() });
  await createUser(server.database, { username: "Taken", email: "taken@example.com" });
});
afterAll(() => server.stop());

/** Calls of a new user with these rights, or of a visitor. */
function as(rights?: Partial<UserRecord>) {
  const call = async (path: string, options: CallOptions = {}) => {
    const user = rights && (await createUser(server.database, rights));
    const token = user && signTokenFor(user, server.deps.settings);
    return server.call(path.replace(":self", user?.username ?? ""), { token, ...options });
  };
  return {
    call,
    post: (path: string, json: unknown) => call(path, { json }),
    form: (path: string, fields: Fields) =>
      call(path, { method: "POST", body: multipartForm(fields) }),
    raw: (path: string, type: string, body: string) =>
      call(path, { method: "POST", headers: { "Content-Type": type }, body }),
  };
}
const visitor = as();

const expiredToken = async () => {
  const user = await createUser(server.database);
  return signTokenFor(user, server.deps.settings, { expiresIn: -1 });
};
const png = () => chartImage(1).png().toBuffer();

/** A body with which nothing is wrong wherever no administrator and no picture is needed. */
const GOOD_FOR_ALL = {
  ...NEW_ACCOUNT,
  ...SIGNAL,
  token: "none",
  current_password: TEST_PASSWORD,
  new_password: "secret-2",
};

/** Whose request is refused with which status, code and, where the specification has one, sentence. */
type Row = [
  status: number,
  code: ErrorCode,
  when: string,
  call: () => Promise<Response>,
  expected?: { detail?: string; fields?: string[] },
];

const ROWS: Row[] = [
  [400, "malformed-body", "not JSON", () => visitor.raw("/login", "application/json", "{")],
  [
    400,
    "malformed-body",
    "not multipart",
    () => as(PENDING).raw("/submit-payment-proof", "multipart/form-data", "nothing"),
  ],
  [401, "unauthenticated", "no token", () => visitor.call("/me")],
  [401, "unauthenticated", "a bad token", () => visitor.call("/me", { token: "bad" })],
  [
    401,
    "unauthenticated",
    "an expired token",
    async () => visitor.call("/me", { token: await expiredToken() }),
  ],
  [
    401,
    "invalid-credentials",
    "an unknown name",
    () => visitor.post("/login", { username: "unknown", password: TEST_PASSWORD }),
    { detail: "Wrong username or password." },
  ],
  [
    401,
    "invalid-credentials",
    "a wrong password",
    () => visitor.post("/login", { username: "taken", password: "wrong" }),
    { detail: "Wrong username or password." },
  ],
  [
    402,
    "no-credits",
    "an image without credits",
    async () =>
      as({ ...WITH_IMAGES, imageCredits: 0 }).form("/get-signal-with-image", {
        ...SIGNAL,
        chart_image: await png(),
      }),
    { detail: NO_CREDITS },
  ],
  [403, "not-approved", "a pending user", () => as(PENDING).post("/get-signal", SIGNAL)],
  [403, "not-admin", "no administrator", () => as(APPROVED).call("/admin/list-users")],
  [
    403,
    "image-not-allowed",
    "images not allowed",
    async () =>
      as({ ...WITH_IMAGES, allowImageUpload: false }).form("/get-signal-with-image", {
        ...SIGNAL,
        chart_image: await png(),
      }),
  ],
  [
    403,
    "wrong-password",
    "a wrong current password",
    () => as(PENDING).post("/change-password", { current_password: "x", new_password: "secret-2" }),
    { detail: WRONG_PASSWORD },
  ],
  [
    403,
    "file-not-allowed",
    "a bad signature",
    () => visitor.call("/payment_proofs/a.png?expires=9999999999&signature=bad"),
  ],
  [404, "not-found", "no such route", () => as(ADMIN).call("/nothing-here")],
  [404, "not-found", "no such user", () => as(ADMIN).post("/admin/approve/unknown", {})],
  [404, "not-found", "no such file", () => as(ADMIN).call("/chart_uploads/none.png")],
  [404, "not-found", "no such signal", () => as(APPROVED).call(`/signals/${"0".repeat(24)}`)],
  [
    409,
    "auth/username-already-in-use",
    "a name that is taken",
    () => visitor.post("/register", { ...NEW_ACCOUNT, username: "TAKEN" }),
  ],
  [
    409,
    "auth/email-already-in-use",
    "an address that is taken",
    () => visitor.post("/register", { ...NEW_ACCOUNT, email: "TAKEN@example.com" }),
  ],
  [409, "own-account", "revoking oneself", () => as(ADMIN).post("/admin/revoke/:self", {})],
  [409, "own-account", "deleting oneself", () => as(ADMIN).post("/admin/delete-user/:self", {})],
  [
    413,
    "file-too-large",
    "a file of 6 MB",
    () =>
      as(PENDING).form("/submit-payment-proof", {
        sender_name: "Ann",
        proof_image: Buffer.alloc(SIX_MEGABYTES),
      }),
  ],
  [
    415,
    "not-an-image",
    "a text called picture.png",
    () =>
      as(PENDING).form("/submit-payment-proof", {
        sender_name: "Ann",
        proof_image: Buffer.from("text"),
      }),
  ],
  [
    422,
    "invalid-token",
    "a mail token that is none",
    () => visitor.post("/reset-password", { token: "none", new_password: "secret-2" }),
  ],
  [422, "invalid-token", "likewise", () => visitor.post("/verify-email", { token: "none" })],
  [
    422,
    "invalid-input",
    "fields that are missing",
    () => visitor.post("/login", {}),
    { fields: ["username", "password"] },
  ],
  [
    422,
    "invalid-input",
    "a number out of range",
    () => as(APPROVED).post("/get-signal", { ...SIGNAL, leverage: 126 }),
    { fields: ["leverage"] },
  ],
  [
    422,
    "invalid-input",
    "an unknown symbol",
    () => as(APPROVED).post("/get-signal", { ...SIGNAL, symbol: "NOPE" }),
    { fields: ["symbol"] },
  ],
  [
    422,
    "invalid-input",
    "no chart image",
    () => as(WITH_IMAGES).form("/get-signal-with-image", SIGNAL),
    { fields: ["chart_image"] },
  ],
  [
    422,
    "invalid-input",
    "a proof without a file",
    () => as(PENDING).form("/submit-payment-proof", { sender_name: "Ann" }),
    { detail: INCOMPLETE_PROOF },
  ],
  [
    422,
    "invalid-input",
    "a proof without a sender",
    async () => as(PENDING).form("/submit-payment-proof", { proof_image: await png() }),
    { detail: INCOMPLETE_PROOF },
  ],
  ...["1e3", "5.5", "five", ""].map(
    (credits): Row => [
      422,
      "invalid-input",
      `granting ${JSON.stringify(credits)} credits`,
      () => as(ADMIN).form("/admin/grant-image-credits/taken", { credits }),
      { detail: "Invalid number." },
    ],
  ),
  [
    422,
    "invalid-input",
    "a short password at the change",
    () =>
      as(PENDING).post("/change-password", {
        current_password: TEST_PASSWORD,
        new_password: "12345",
      }),
    { detail: SHORT_PASSWORD },
  ],
  [
    422,
    "invalid-input",
    "a short password at the reset",
    () => visitor.post("/reset-password", { token: "none", new_password: "12345" }),
    { detail: SHORT_PASSWORD },
  ],
  [
    504,
    "timeout",
    "a signal that is not finished in time",
    () => as(APPROVED).post("/get-signal", SIGNAL),
    { detail: TOO_SLOW },
  ],
];

describe("the contract's refusals", () => {
  it.each(ROWS)("%i %s: %s", async (...[status, code, , call, expected = {}]) => {
    const answer = await call();
    expect(answer.status).toBe(status);
    const body = errorBodySchema.strict().parse(await answer.json());
    expect(body).toMatchObject({ code, request_id: answer.headers.get("X-Request-Id") });
    if (expected.detail) expect(body.detail).toBe(expected.detail);
    if (expected.fields) expect(body.errors?.map(({ field }) => field)).toEqual(expected.fields);
  });

  it("503 unavailable: every route that needs the database, in time, while it is away", async () => {
    const { relay, uri } = await startDatabaseRelay(testDatabaseUri());
    const away = await startTestServer({ databaseUri: uri });
    const token = signTokenFor(await createUser(away.database, ADMIN), away.deps.settings);
    await relay.cut();
    const startedAt = performance.now();
    const answers = await Promise.all(
      ABUSABLE_ROUTES.filter(({ needsDatabase }) => needsDatabase).map(async ({ method, path }) => {
        const json = method === "POST" ? GOOD_FOR_ALL : undefined;
        const answer = await away.call(path, { method, token, json });
        const { code } = errorBodySchema.parse(await answer.json());
        return { path, status: answer.status, code, wait: answer.headers.get("Retry-After") };
      }),
    );
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await relay.restore();
    await away.stop();
    for (const { path, ...answer } of answers) {
      expect({ path, ...answer }).toEqual({
        path,
        status: 503,
        code: "unavailable",
        wait: expect.stringMatching(/^[1-9]\d*$/),
      });
    }
  });
});
