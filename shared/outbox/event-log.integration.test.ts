import { type Database, openDatabase } from "@shared/database/database.ts";
import { createUser } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commit } from "./commit.ts";
import { deleteStream, eventsOf, findNextKept, readEvents } from "./event-log.ts";
import { userStream } from "./streams.ts";

describe("an event of several users", () => {
  let database: Database;
  const uri = testDatabaseUri();
  beforeAll(async () => {
    database = await openDatabase({ uri });
  });
  afterAll(() => database.close());

  const newStream = async () => userStream((await createUser(database))._id);
  const addEvents = (streams: readonly string[]) =>
    commit(database, { lockKeys: [...streams] }, ({ addEvents: add }) => {
      add(
        "signal:queued",
        streams.map((stream) => ({
          stream,
          data: { signal_id: `of ${stream}`, symbol: "BTC/USDT", timeframe: "1h" as const },
        })),
      );
    });
  const addEvent = (stream: string) =>
    commit(database, { lockKeys: stream }, (uow) => uow.addEvent(stream, "history:cleared", {}));
  const read = (stream: string, options: { after?: number; limit?: number } = {}) =>
    readEvents(database, { stream, after: 0, limit: 100, ...options });
  const queued = (stream: string, seq: number) => ({
    stream,
    seq,
    name: "signal:queued",
    at: expect.any(Date),
    data: { signal_id: `of ${stream}`, symbol: "BTC/USDT", timeframe: "1h" },
  });
  const cleared = (stream: string, seq: number) => ({
    stream,
    seq,
    name: "history:cleared",
    at: expect.any(Date),
    data: {},
  });

  it("has the next number of each stream, and is read with the data of its user", async () => {
    const ann = await newStream();
    const bob = await newStream();
    await addEvent(bob);
    await addEvents([ann, bob]);
    await addEvent(bob);
    expect(await read(ann)).toEqual([queued(ann, 1)]);
    expect(await read(bob)).toEqual([cleared(bob, 1), queued(bob, 2), cleared(bob, 3)]);
    expect(await read(bob, { after: 1, limit: 1 })).toEqual([queued(bob, 2)]);
  });

  it("is one document, in which what all have in common is stored once", async () => {
    const streams = [await newStream(), await newStream()];
    await addEvents(streams);
    const stored = await database.events.find({ "recipients.stream": streams[0] }).lean();
    expect(stored).toMatchObject([{ data: { symbol: "BTC/USDT", timeframe: "1h" } }]);
    expect(stored.flatMap(eventsOf)).toEqual(streams.map((stream) => queued(stream, 1)));
  });

  it("is read as often as its user is among the recipients", async () => {
    const ann = await newStream();
    const bob = await newStream();
    await addEvents([ann, bob, ann]);
    expect(await read(ann)).toEqual([queued(ann, 1), queued(ann, 2)]);
    expect(await read(ann, { after: 1 })).toEqual([queued(ann, 2)]);
  });

  it("is read by name, and only in part if asked", async () => {
    const ann = await newStream();
    const bob = await newStream();
    await addEvents([ann, bob]);
    await addEvent(ann);
    const all = { stream: ann, after: 0, limit: 10 };
    expect(await readEvents(database, { ...all, names: ["signal:queued"] })).toHaveLength(1);
    const [event] = await readEvents(database, { ...all, dataFields: ["symbol"] });
    expect(event?.data).toEqual({ symbol: "BTC/USDT", signal_id: `of ${ann}` });
  });

  it("is the next that is kept when older ones are gone", async () => {
    const ann = await newStream();
    const bob = await newStream();
    await addEvent(ann);
    await addEvents([ann, bob]);
    await addEvent(ann);
    expect(await findNextKept(database, { stream: ann, after: 0 })).toBe(1);
    await database.events.deleteMany({ stream: ann, seq: 1 });
    expect(await findNextKept(database, { stream: ann, after: 0 })).toBe(2);
    expect(await findNextKept(database, { stream: ann, after: 2 })).toBe(3);
    expect(await findNextKept(database, { stream: ann, after: 3 })).toBeUndefined();
  });

  it("stays with the others when one is deleted, without what was theirs", async () => {
    const ann = await newStream();
    const bob = await newStream();
    await addEvent(ann);
    await addEvents([ann, bob]);
    await database.connection.transaction((session) => deleteStream(database, session, ann));
    expect(await read(ann)).toEqual([]);
    expect(await read(bob)).toEqual([queued(bob, 1)]);
    expect(JSON.stringify(await database.events.find().lean())).not.toContain(ann);
  });
});
