import { randomUUID } from "node:crypto";
import type { UserRecord } from "@shared/database/models/user.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import jwt from "jsonwebtoken";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../testing/start-test-server.ts";
import { authenticateToken, issueToken } from "./sessions.ts";

const DAY_MS = 86_400_000;
const ACCEPTED = { http: "accepted", socket: "accepted" };
const REFUSED = { http: "unauthenticated", socket: "unauthenticated" };

describe("sessions", () => {
  let server: TestServer;
  let user: UserRecord;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    user = await createUser(server.database);
  });

  const tokenOf = (now = () => new Date()) =>
    issueToken({ user, settings: server.deps.settings, now });
  /** What the token gets over HTTP, and from the function that the sockets use. */
  const resultOf = async (token: string) => {
    const answer = await server.call("/me", { token });
    const session = await authenticateToken(server.deps, token).catch((error: unknown) => error);
    return {
      http: answer.ok ? "accepted" : (await answer.json()).code,
      socket: session instanceof AppError ? session.code : "accepted",
    };
  };

  it("lets a token in for seven days", async () => {
    const issuedAt = Date.now();
    const token = tokenOf(() => new Date(issuedAt));
    expect(await resultOf(token)).toEqual(ACCEPTED);
    const session = await authenticateToken(server.deps, token);
    expect(session.user.username).toBe(user.username);
    expect(Math.abs(session.expiresAt.getTime() - (issuedAt + 7 * DAY_MS))).toBeLessThan(1_000);
  });

  it("still lets in a token of almost seven days", async () => {
    const token = tokenOf(() => new Date(Date.now() - 7 * DAY_MS + 60_000));
    expect(await resultOf(token)).toEqual(ACCEPTED);
  });

  it("refuses a token of more than seven days", async () => {
    expect(await resultOf(tokenOf(() => new Date(Date.now() - 7 * DAY_MS - 1_000)))).toEqual(
      REFUSED,
    );
  });

  it.each(["", "garbage", "a.b.c", "null", "e30.e30.e30"])(
    "refuses the token %j",
    async (token) => {
      expect(await resultOf(token)).toEqual(REFUSED);
    },
  );

  it("refuses a token whose content was changed", async () => {
    const other = await createUser(server.database, { role: "admin" });
    const [header, , signature] = tokenOf().split(".");
    const claims = { ...claimsOf(tokenOf()), sub: other._id.toString() };
    const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
    expect(await resultOf(`${header}.${payload}.${signature}`)).toEqual(REFUSED);
  });

  it("refuses a token that is signed with another secret", async () => {
    expect(
      await resultOf(signTokenFor(user, { JWT_SECRET: "another secret of 32 characters!" })),
    ).toEqual(REFUSED);
  });

  it("refuses a token that is not signed", async () => {
    expect(await resultOf(jwt.sign(claimsOf(tokenOf()), null, { algorithm: "none" }))).toEqual(
      REFUSED,
    );
  });

  it("refuses a token that is signed in another way", async () => {
    const { JWT_SECRET } = server.deps.settings;
    expect(
      await resultOf(jwt.sign(claimsOf(tokenOf()), JWT_SECRET, { algorithm: "HS512" })),
    ).toEqual(REFUSED);
  });

  it.each([
    ["no user", { sub: undefined }],
    ["an operator for a user", { sub: { $gt: "" } }],
    ["a user id that is none", { sub: "x".repeat(24) }],
    ["no session", { sid: undefined }],
    ["no version", { ver: undefined }],
    ["no end", { exp: undefined }],
  ])("refuses a well-signed token with %s", async (_, wrong) => {
    const claims = JSON.parse(JSON.stringify({ ...claimsOf(tokenOf()), ...wrong }));
    expect(
      await resultOf(jwt.sign(JSON.stringify(claims), server.deps.settings.JWT_SECRET)),
    ).toEqual(REFUSED);
  });

  it("ends with its user", async () => {
    const token = tokenOf();
    expect(await resultOf(token)).toEqual(ACCEPTED);
    await server.database.users.deleteOne({ _id: user._id });
    expect(await resultOf(token)).toEqual(REFUSED);
  });

  it("ends when the user's sessions are ended, except the one that is kept", async () => {
    const keptSessionId = randomUUID();
    const kept = signTokenFor(user, server.deps.settings, { sessionId: keptSessionId });
    const ended = tokenOf();
    expect(await resultOf(ended)).toEqual(ACCEPTED);
    await server.database.users.updateOne(
      { _id: user._id },
      { $inc: { sessionVersion: 1 }, $set: { keptSessionId } },
    );
    expect(await resultOf(ended)).toEqual(REFUSED);
    expect(await resultOf(kept)).toEqual(ACCEPTED);
    const session = await authenticateToken(server.deps, kept);
    expect(session.sessionId).toBe(keptSessionId);
  });

  it("cannot be shown in a cookie or in the address", async () => {
    const token = tokenOf();
    const headers = { Cookie: `token=${token}; jwt=${token}` };
    expect(await server.call(`/me?token=${token}`, { headers })).toMatchObject({ status: 401 });
  });
});

function claimsOf(token: string): jwt.JwtPayload {
  const claims = jwt.decode(token);
  if (typeof claims !== "object" || claims === null) throw new Error("the token has no claims");
  return claims;
}
