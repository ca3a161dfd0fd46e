import { randomUUID } from "node:crypto";
import { DAY_MS, HOUR_MS } from "@shared/contract/constants.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import jwt from "jsonwebtoken";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { originOf } from "../testing/session-of.ts";
import { startTestServer, type TestServer } from "../testing/start-test-server.ts";
import { authenticateToken, startSession } from "./sessions.ts";

const FIREFOX = { origin: originOf("Firefox"), network: "home" };

const ACCEPTED = { http: "accepted", socket: "accepted" };
const REFUSED = { http: "unauthenticated", socket: "unauthenticated" };

describe("sessions", () => {
  let server: TestServer;
  let user: UserRecord;
  let clock: Date;
  beforeAll(async () => {
    const now = () => new Date(clock);
    server = await startTestServer({ databaseUri: testDatabaseUri(), overrides: { now } });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    clock = new Date();
    user = await createUser(server.database);
  });

  const startOne = async () => {
    const token = await startSession(server.deps, user, FIREFOX);
    if (token === null) throw new Error("no session was started");
    return token;
  };
  const tokenOf = () => signTokenFor(user, server.deps.settings);
  /** What the token gets over HTTP, and from the function that the sockets use. */
  const resultOf = async (token: string) => {
    const answer = await server.call("/me", { token });
    const session = await authenticateToken(server.deps, token).catch((error: unknown) => error);
    return {
      http: answer.ok ? "accepted" : (await answer.json()).code,
      socket: session instanceof AppError ? session.code : "accepted",
    };
  };
  const advance = (byMs: number) => {
    clock = new Date(clock.getTime() + byMs);
  };

  it("end 24 hours after their last use", async () => {
    const token = await startOne();
    advance(DAY_MS - 1_000);
    expect(await resultOf(token)).toEqual(ACCEPTED);
    advance(DAY_MS - 1_000);
    expect(await resultOf(token)).toEqual(ACCEPTED);
    advance(DAY_MS + 1_000);
    expect(await resultOf(token)).toEqual(REFUSED);
    const ended = { type: "session:ended", user: user.username };
    expect(await server.database.securityLog.find(ended).lean()).toEqual([
      expect.objectContaining({ details: { reason: "expired" } }),
    ]);
  });

  it("end 30 days after the sign-in, however much they are used", async () => {
    const token = await startOne();
    for (let used = 0; used < 59; used++) {
      advance(12 * HOUR_MS);
      await authenticateToken(server.deps, token);
    }
    advance(11 * HOUR_MS);
    const { expiresAt } = await authenticateToken(server.deps, token);
    expect(expiresAt.getTime() - clock.getTime()).toBe(HOUR_MS);
    advance(HOUR_MS);
    expect(await resultOf(token)).toEqual(REFUSED);
  });

  it("are stored with the browser, at most 50 of them, without the oldest", async () => {
    const first = tokenOf();
    for (let started = 0; started < 50; started++) await startOne();
    expect(await resultOf(first)).toEqual(REFUSED);
    const stored = await server.database.users.findById(user._id).lean();
    expect(stored?.sessions).toHaveLength(50);
    expect(stored?.sessions[0]?.userAgent).toBe("Firefox");
  });

  it("do not start for a sign-in during which all sessions were ended", async () => {
    await server.database.users.updateOne({ _id: user._id }, { $inc: { sessionVersion: 1 } });
    expect(await startSession(server.deps, user, FIREFOX)).toBeNull();
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
    ["an unknown session", { sid: randomUUID() }],
    ["another issuer", { iss: "another product" }],
    ["no issuer", { iss: undefined }],
    ["another audience", { aud: "another product" }],
    ["no audience", { aud: undefined }],
    ["an end in the past", { exp: 1 }],
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
