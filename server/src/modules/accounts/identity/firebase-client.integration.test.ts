import { AppError } from "@shared/runtime/app-error.ts";
import {
  type FakeFirebase,
  type FirebaseCall,
  type FirebaseFailure,
  startFakeFirebase,
} from "@shared/testing/fakes/fake-firebase.ts";
import { readText, sendJson, startHttpFake } from "@shared/testing/fakes/fake-http.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { FirebaseClient } from "./firebase-client.ts";

const ann = { email: "ann@example.com", password: "correct horse" };
const UNAVAILABLE = {
  code: "unavailable",
  status: 503,
  serviceCode: undefined,
  detail: "The sign-in service is unavailable. Please try again later.",
  retryAfterSeconds: 60,
};

describe("FirebaseClient", () => {
  let firebase: FakeFirebase;
  let client: FirebaseClient;
  beforeAll(async () => {
    firebase = await startFakeFirebase();
    const { apiKey, url: baseUrl } = firebase;
    client = new FirebaseClient({ apiKey, baseUrl: `${baseUrl}/`, timeoutMs: 300 });
    await client.signUp(ann);
  });
  beforeEach(() => firebase.reset());
  afterAll(() => firebase.close());

  const failureOf = async (call: FirebaseCall, failure: FirebaseFailure) => {
    firebase.fail(call, failure);
    const answer = await client.signIn(ann).catch((error: unknown) => error);
    if (!(answer instanceof AppError)) throw new Error("no failure was thrown", { cause: answer });
    return answer;
  };
  const refusal = (message: string) =>
    failureOf("accounts:signInWithPassword", { kind: "refusal", message });

  it("finds the emulator's calls when only its bare address is given", async () => {
    const emulator = await startHttpFake(async (request, response) => {
      const isKnown = request.url?.startsWith("/identitytoolkit.googleapis.com/v1/accounts:lookup");
      const body = { users: [{ localId: "u1" }] };
      sendJson(response, isKnown ? body : { error: { message: "Not Found" } }, isKnown ? 200 : 404);
    });
    onTestFinished(() => emulator.close());
    const bare = new FirebaseClient({ apiKey: "k", baseUrl: emulator.url });
    expect(await bare.lookup("token")).toMatchObject({ localId: "u1" });
  });

  it.each([
    { kind: "down" },
    { kind: "stalled-headers" },
    { kind: "stalled-body" },
    { kind: "html" },
    { kind: "nonsense" },
    { kind: "status", status: 500 },
    { kind: "status", status: 503 },
    { kind: "status", status: 404 },
  ] as const)("takes %j as a service that is not there", async (failure) => {
    expect(await failureOf("accounts:signInWithPassword", failure)).toMatchObject(UNAVAILABLE);
  });

  it.each([
    "API key not valid. Please pass a valid API key.",
    "API key expired. Please renew the API key.",
    "CONFIGURATION_NOT_FOUND",
    "OPERATION_NOT_ALLOWED",
    "PASSWORD_LOGIN_DISABLED",
    "QUOTA_EXCEEDED : Exceeded quota for verifying passwords.",
  ])("takes %j as a fault of the set-up, which is not shown", async (message) => {
    const failure = await refusal(message);
    expect(failure).toMatchObject(UNAVAILABLE);
    expect(failure.cause).toMatchObject({ message: `Firebase answered: ${message}` });
  });

  it.each(["INVALID_LOGIN_CREDENTIALS", "EMAIL_NOT_FOUND", "INVALID_PASSWORD", "USER_DISABLED"])(
    "lets a caller of %s know no more than that the login failed",
    async (message) => {
      expect(await refusal(message)).toMatchObject({
        code: "invalid-credentials",
        status: 401,
        serviceCode: undefined,
        detail: "Wrong username or password.",
      });
    },
  );

  it.each(["EXPIRED_OOB_CODE", "INVALID_OOB_CODE"])("takes %s as a bad link", async (message) => {
    expect(await refusal(message)).toMatchObject({
      code: "invalid-token",
      status: 422,
      serviceCode: undefined,
    });
  });

  it.each([
    ["EMAIL_EXISTS", 409],
    ["INVALID_EMAIL", 422],
    ["WEAK_PASSWORD : Password should be at least 6 characters", 422],
    ["PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Digit]", 422],
    ["TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account has been disabled", 429],
    ["SOMETHING_NEW", 422],
  ])("passes the code of %j on, with status %i", async (message, status) => {
    const failure = await refusal(message);
    expect(failure).toMatchObject({ serviceCode: message.split(" ")[0], status });
    expect(failure.retryAfterSeconds).toBe(status === 429 ? 300 : undefined);
    expect(failure.detail).toMatch(/^[A-Z].*\.$/);
  });

  it("takes a bare 429 as too many attempts", async () => {
    const failure = await failureOf("accounts:signInWithPassword", { kind: "status", status: 429 });
    expect(failure).toMatchObject({ code: "rate-limited", retryAfterSeconds: 300 });
  });

  it("keeps its key and what it sent out of its errors", async () => {
    for (const failure of [{ kind: "down" }, { kind: "html" }, { kind: "stalled-body" }] as const) {
      const error = await failureOf("accounts:signInWithPassword", failure);
      const shown = [error.stack, String(error.cause), JSON.stringify(error.cause)].join();
      for (const secret of [firebase.apiKey, ann.password]) expect(shown).not.toContain(secret);
    }
  });

  it("sends no password to the address of a redirect", async () => {
    const received: string[] = [];
    const other = await startHttpFake(async (request, response) => {
      received.push(await readText(request));
      sendJson(response, {});
    });
    const moved = await startHttpFake(
      async (_, response) => void response.writeHead(307, { location: other.url }).end(),
    );
    onTestFinished(() => moved.close());
    onTestFinished(() => other.close());
    const redirected = new FirebaseClient({ apiKey: "k", baseUrl: `${moved.url}/v1` });
    await expect(redirected.signIn(ann)).rejects.toMatchObject(UNAVAILABLE);
    expect(received).toEqual([]);
  });

  it("asks the token service beside the emulator's Identity Toolkit", async () => {
    const asked: string[] = [];
    const emulator = await startHttpFake(async (request, response) => {
      asked.push(`${request.url} ${await readText(request)}`);
      sendJson(response, { id_token: "id", kind: "ok" });
    });
    onTestFinished(emulator.close);
    const baseUrl = `${emulator.url}/identitytoolkit.googleapis.com`;
    const emulated = new FirebaseClient({ apiKey: "k&y", baseUrl });
    expect(await emulated.refresh("a/b")).toBe("id");
    await emulated.sendPasswordReset("ann@example.com");
    expect(asked).toEqual([
      "/securetoken.googleapis.com/v1/token?key=k%26y grant_type=refresh_token&refresh_token=a%2Fb",
      '/identitytoolkit.googleapis.com/v1/accounts:sendOobCode?key=k%26y {"requestType":"PASSWORD_RESET","email":"ann@example.com"}',
    ]);
  });
});
