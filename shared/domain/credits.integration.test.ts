import { eventSchemas } from "@shared/contract/events/event-data.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import fc from "fast-check";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../database/database.ts";
import { createUser } from "../testing/factories.ts";
import { testDatabaseUri } from "../testing/test-mongo.ts";
import { type CreditChange, changeCredits } from "./credits.ts";

type Change = Pick<CreditChange, "kind" | "amount" | "signalId">;
const grant = (amount: number): Change => ({ kind: "grant", amount });
const spend = (signalId = new Types.ObjectId()): Change => ({
  kind: "spend",
  amount: -1,
  signalId,
});
const refund = (signalId: Types.ObjectId): Change => ({ kind: "refund", amount: 1, signalId });

describe("changeCredits", () => {
  let here: Database;
  let elsewhere: Database;
  beforeAll(async () => {
    const uri = testDatabaseUri();
    here = await openDatabase({ uri });
    elsewhere = await openDatabase({ uri });
  });
  afterAll(async () => {
    await here.close();
    await elsewhere.close();
  });

  const apply = (userId: Types.ObjectId, change: Change, database = here) =>
    commit(database, { lockKeys: userStream(userId) }, (uow) =>
      changeCredits(database, uow, { ...change, userId, by: "system", why: "a test" }),
    );
  const entriesOf = (userId: Types.ObjectId) =>
    here.creditEntries.find({ userId }).sort({ _id: 1 }).lean();
  const eventsOf = (stream: string) => here.events.find({ stream }).sort({ seq: 1 }).lean();
  const balanceOf = async (userId: Types.ObjectId) =>
    (await here.users.findById(userId).lean())?.imageCredits;

  it("grants, spends and refunds with an entry of actor, time, reason and signal", async () => {
    const { _id } = await createUser(here);
    const signalId = new Types.ObjectId();
    expect(await apply(_id, grant(2))).toMatchObject({ imageCredits: 2 });
    expect(await apply(_id, spend(signalId))).toMatchObject({ imageCredits: 1 });
    expect(await apply(_id, refund(signalId))).toMatchObject({ imageCredits: 2 });
    const who = { userId: _id, by: "system", why: "a test", at: expect.any(Date) };
    expect(await entriesOf(_id)).toEqual([
      { _id: expect.anything(), ...who, kind: "grant", amount: 2, balance: 2 },
      { _id: expect.anything(), ...who, kind: "spend", amount: -1, balance: 1, signalId },
      { _id: expect.anything(), ...who, kind: "refund", amount: 1, balance: 2, signalId },
    ]);
  });

  it("notifies the user of the reason, and the administrators of the balance", async () => {
    const user = await createUser(here);
    const signalId = new Types.ObjectId();
    for (const change of [grant(1), spend(signalId), refund(signalId)])
      await apply(user._id, change);
    expect((await eventsOf(userStream(user._id))).map(({ name, data }) => [name, data])).toEqual([
      ["account:updated", expect.objectContaining({ reason: "credits-granted", image_credits: 1 })],
      ["account:updated", expect.objectContaining({ reason: "credit-spent", image_credits: 0 })],
      ["account:updated", expect.objectContaining({ reason: "credit-refunded", image_credits: 1 })],
    ]);
    const cards = (await eventsOf(ADMINS_STREAM)).filter(({ data }) =>
      JSON.stringify(data).includes(`"${user.username}"`),
    );
    expect(cards.map(({ name, data }) => [name, data])).toEqual(
      [1, 0, 1].map((image_credits) => [
        "user:updated",
        expect.objectContaining({ username: user.username, image_credits }),
      ]),
    );
  });

  it("refuses a spend without credits and writes nothing", async () => {
    const { _id } = await createUser(here);
    expect(await apply(_id, spend())).toBeNull();
    expect(await entriesOf(_id)).toEqual([]);
    expect(await eventsOf(userStream(_id))).toEqual([]);
  });

  it("takes no more than the balance", async () => {
    const { _id } = await createUser(here);
    await apply(_id, grant(3));
    expect(await apply(_id, grant(-10))).toMatchObject({ imageCredits: 0 });
    expect((await entriesOf(_id)).map(({ amount }) => amount)).toEqual([3, -3]);
    await apply(_id, grant(-10));
    expect(await entriesOf(_id)).toHaveLength(2);
    expect(await eventsOf(userStream(_id))).toHaveLength(2);
  });

  it("charges and refunds a signal once, however often it is called", async () => {
    const { _id } = await createUser(here);
    const signalId = new Types.ObjectId();
    await apply(_id, grant(5));
    const often = (change: Change) =>
      Promise.all(
        [here, elsewhere, here, elsewhere].map((database) => apply(_id, change, database)),
      );
    const charged = await often(spend(signalId));
    expect(charged.map((user) => user?.imageCredits)).toEqual([4, 4, 4, 4]);
    const paidBack = await often(refund(signalId));
    expect(paidBack.map((user) => user?.imageCredits)).toEqual([5, 5, 5, 5]);
    expect((await entriesOf(_id)).map(({ kind }) => kind)).toEqual(["grant", "spend", "refund"]);
  });

  it("refunds nothing to a deleted user", async () => {
    const { _id } = await createUser(here);
    await here.users.deleteOne({ _id });
    expect(await apply(_id, refund(new Types.ObjectId()))).toBeNull();
    expect(await entriesOf(_id)).toEqual([]);
  });

  it.each([
    { kind: "spend", amount: 1 },
    { kind: "spend", amount: 0 },
    { kind: "refund", amount: -1 },
    { kind: "grant", amount: 0.5 },
    { kind: "grant", amount: Number.NaN },
    { kind: "grant", amount: 2 ** 53 },
  ] as const)("does not take $amount as a $kind", async (change) => {
    const { _id } = await createUser(here, { imageCredits: 5 });
    await expect(apply(_id, change)).rejects.toThrow(RangeError);
    expect(await balanceOf(_id)).toBe(5);
  });

  it("keeps entries and balance consistent and never below 0, in any order of changes", async () => {
    const signalIds = Array.from({ length: 3 }, () => new Types.ObjectId());
    const signalId = fc.constantFrom(...signalIds);
    const change = fc.oneof(
      fc.integer({ min: -4, max: 4 }).map(grant),
      fc.constant(0).map(() => spend()),
      signalId.map(spend),
      signalId.map(refund),
    );
    const step = fc.record({ change, far: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
        await here.creditEntries.deleteMany();
        const { _id } = await createUser(here);
        await Promise.all(steps.map((one) => apply(_id, one.change, one.far ? elsewhere : here)));

        const ledger = await entriesOf(_id);
        const amounts = ledger.map((entry) => entry.amount);
        expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(await balanceOf(_id));
        const unread = [...ledger];
        let before = 0;
        for (const { data } of await eventsOf(userStream(_id))) {
          const after = eventSchemas["account:updated"].parse(data).image_credits;
          expect(after).toBeGreaterThanOrEqual(0);
          const line = unread.findIndex(
            ({ amount, balance }) => balance === after && balance - amount === before,
          );
          expect(line, "every event has a credit entry").not.toBe(-1);
          unread.splice(line, 1);
          before = after;
        }
        expect(unread).toEqual([]);
      }),
      { numRuns: 15 },
    );
  }, 60_000);
});
