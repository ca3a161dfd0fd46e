import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testDatabaseUri } from "../testing/test-mongo.ts";
import { type Database, openDatabase } from "./database.ts";
import { ADMINS_STREAM, commitChange, streamHeads } from "./event-log.ts";

const seqsOf = async (database: Database, stream: string): Promise<(number | undefined)[]> => {
  const events = await database.events.find({ stream }).sort({ seq: 1 }).lean();
  return events.map((event) => event.seq);
};
const oneTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe("the event log", () => {
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

  it("numbers a stream from 1 without gaps while two connections write to it at once", async () => {
    const change = (database: Database, index: number) =>
      commitChange(database, { serializeOn: `${index}` }, async ({ tell }) => {
        tell("user:crowded", "history:cleared", {});
      });
    await Promise.all(oneTo(60).map((index) => change(index % 2 === 0 ? here : elsewhere, index)));
    expect(await seqsOf(here, "user:crowded")).toEqual(oneTo(60));
    expect(await streamHeads(here, ["user:crowded", "user:silent"])).toEqual([60, 0]);
  });

  it("keeps neither the change nor the event when the change fails, and leaves no hole", async () => {
    const rename = (username: string, fail: boolean) =>
      commitChange(here, { serializeOn: ADMINS_STREAM }, async ({ session, tell }) => {
        await here.streamCounters.create([{ _id: `made-by-${username}`, seq: 0 }], { session });
        tell("user:careful", "history:cleared", {});
        if (fail) throw new Error("changed my mind");
      });
    await rename("first", false);
    await expect(rename("second", true)).rejects.toThrow("changed my mind");
    await rename("third", false);

    expect(await seqsOf(here, "user:careful")).toEqual([1, 2]);
    expect(await here.streamCounters.findById("made-by-second")).toBeNull();
  });

  it("numbers each stream of one change on its own and all at the same instant", async () => {
    await commitChange(here, { serializeOn: "both" }, async ({ tell }) => {
      tell("user:both", "history:cleared", {});
      tell(ADMINS_STREAM, "user:deleted", { username: "gone" });
      tell("user:both", "proof:deleted", {});
    });
    const events = await here.events.find({ stream: { $in: ["user:both", ADMINS_STREAM] } }).lean();
    expect(events.map(({ stream, seq, name }) => [stream, seq, name]).sort()).toEqual([
      [ADMINS_STREAM, 1, "user:deleted"],
      ["user:both", 1, "history:cleared"],
      ["user:both", 2, "proof:deleted"],
    ]);
    expect(new Set(events.map((event) => event.at.getTime())).size).toBe(1);
  });

  it("gives orders to the servers no number", async () => {
    await commitChange(here, { serializeOn: "order" }, async ({ endSessions }) => {
      endSessions({ userId: "u1", reason: "deleted" });
    });
    const order = await here.events.findOne({ stream: "control" }).lean();
    expect(order?.seq).toBeUndefined();
    expect(order?.data).toEqual({ userId: "u1", reason: "deleted" });
  });
});
