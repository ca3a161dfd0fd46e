import { performance } from "node:perf_hooks";
import { type Database, openDatabase } from "@shared/node/database.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BuiltinIdentity } from "./builtin-identity.ts";

const email = "Ann@Example.com";
const password = "correct horse";

describe("BuiltinIdentity", () => {
  let database: Database;
  let identity: BuiltinIdentity;
  let identityId: string;
  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri("identity") });
    identity = new BuiltinIdentity({ database, now: () => new Date() });
    identityId = await makeAccount(email);
  });
  afterAll(() => database.close());

  const makeAccount = async (address: string) => {
    const account = await identity.prepareAccount({ email: address, password });
    await database.connection.transaction((session) => account.store(session));
    return account.identityId;
  };

  it("knows the password of an account", async () => {
    expect(await identity.verifyPassword({ identityId, password })).toBe(true);
    expect(await identity.verifyPassword({ identityId, password: "wrong" })).toBe(false);
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
    expect(await identity.verifyPassword({ identityId: account.identityId, password })).toBe(false);
    await database.connection.transaction((session) => account.store(session));
    expect(await identity.verifyPassword({ identityId: account.identityId, password })).toBe(true);
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

  it("takes as long for nobody as for somebody", async () => {
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 9; round++) {
      known.push(await durationMs(identity.verifyPassword({ identityId, password: "wrong" })));
      unknown.push(await durationMs(identity.verifyNothing("wrong")));
    }
    const ratio = median(unknown) / median(known);
    expect(ratio).toBeGreaterThan(1 / 3);
    expect(ratio).toBeLessThan(3);
  });

  it("forgets a deleted account", async () => {
    const gone = await makeAccount("gone@example.com");
    await identity.deleteAccount({ identityId: gone });
    expect(await identity.verifyPassword({ identityId: gone, password })).toBe(false);
    await expect(makeAccount("gone@example.com")).resolves.toEqual(expect.any(String));
  });
});

async function durationMs(running: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await running;
  return performance.now() - startedAt;
}

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
