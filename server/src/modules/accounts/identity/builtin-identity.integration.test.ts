import { type Database, openDatabase } from "@shared/database/database.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { argon2id, BuiltinIdentity } from "./builtin-identity.ts";

const email = "Ann@Example.com";
const password = "correct horse";
const hashing = { ...argon2id };

describe("BuiltinIdentity", () => {
  let database: Database;
  let identity: BuiltinIdentity;
  let identityId: string;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    identity = new BuiltinIdentity({
      database,
      mailer: { send: () => Promise.reject(new Error("nothing is mailed here")) },
      webUrl: "https://app.example.com",
      now: () => new Date(),
      hashing,
    });
    identityId = await makeAccount(email);
  });
  afterAll(() => database.close());

  const makeAccount = async (address: string) => {
    const account = await identity.prepareAccount({ email: address, password });
    await database.connection.transaction((session) => account.store(session));
    return account.identityId;
  };

  const knows = async (id: string, attempt = password) =>
    (await identity.verifyPassword({ identityId: id, password: attempt })) !== null;

  it("knows the password of an account", async () => {
    expect(await knows(identityId)).toBe(true);
    expect(await knows(identityId, "wrong")).toBe(false);
  });

  it("makes one account for an address, in whatever case", async () => {
    await expect(makeAccount("ann@example.com")).rejects.toMatchObject({
      code: "auth/email-already-in-use",
    });
  });

  it("makes nothing before its transaction commits", async () => {
    const account = await identity.prepareAccount({ email: "later@example.com", password });
    await database.connection
      .transaction(async (session) => {
        await account.store(session);
        throw new Error("called off");
      })
      .catch(() => undefined);
    expect(await knows(account.identityId)).toBe(false);
    await database.connection.transaction((session) => account.store(session));
    expect(await knows(account.identityId)).toBe(true);
  });

  it("hashes once, however often the transaction is tried", async () => {
    const account = await identity.prepareAccount({ email: "again@example.com", password });
    const hashes = new Set<string | undefined>();
    for (let attempt = 1; attempt <= 3; attempt++) {
      const session = await database.connection.startSession();
      session.startTransaction();
      await account.store(session);
      const stored = await database.identities.findById(account.identityId).session(session);
      hashes.add(stored?.passwordHash);
      await session.abortTransaction();
      await session.endSession();
    }
    expect([...hashes]).toEqual([expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)]);
  });

  it("does the same work with and without an account", async () => {
    const verified = vi.spyOn(hashing, "verify");
    await identity.verifyPassword({ identityId, password: "wrong" });
    await identity.verifyNothing("wrong");
    const parameters = verified.mock.calls.map(([stored]) => stored.split("$", 4));
    expect(parameters).toHaveLength(2);
    expect(parameters[0]).toEqual(parameters[1]);
    expect(verified.mock.calls.map(([, attempt]) => attempt)).toEqual(["wrong", "wrong"]);
  });

  it("forgets a deleted account", async () => {
    const gone = await makeAccount("gone@example.com");
    await identity.deleteAccount({ identityId: gone });
    expect(await knows(gone)).toBe(false);
    await expect(makeAccount("gone@example.com")).resolves.toEqual(expect.any(String));
  });
});
