import { once } from "node:events";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { createUser } from "@shared/testing/factories.ts";
import { startFailingMongo } from "@shared/testing/failing-database.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { commit } from "./commit.ts";
import { ADMINS_STREAM, readStreamHead, userStream } from "./streams.ts";

const seqsOf = async (database: Database, stream: string): Promise<(number | undefined)[]> => {
  const events = await database.events.find({ stream }).sort({ seq: 1 }).lean();
  return events.map((event) => event.seq);
};
const oneTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe("a commit", () => {
  let here: Database;
  let elsewhere: Database;

  const uri = testDatabaseUri();
  beforeAll(async () => {
    here = await openDatabase({ uri });
    elsewhere = await openDatabase({ uri });
  });
  afterAll(async () => {
    await here.close();
    await elsewhere.close();
  });

  const removeUser = (user: UserRecord) =>
    commit(elsewhere, { lockKeys: "removing" }, async ({ session }) => {
      await elsewhere.users.deleteOne({ _id: user._id }, { session });
      await elsewhere.events.deleteMany({ stream: userStream(user._id) }, { session });
    });

  /** A user with their stream; `addEvent` adds one event to it. */
  const newUser = async () => {
    const user = await createUser(here);
    const stream = userStream(user._id);
    const addEvent = (database = here) =>
      commit(database, { lockKeys: stream, groupCommit: true }, (uow) => {
        uow.addEvent(stream, "history:cleared", {});
      });
    return { user, stream, addEvent };
  };

  /** Counts the transactions that add events to the database from now on. */
  const countTransactions = async () => {
    const changes = here.events.collection.watch();
    const times: string[] = [];
    changes.on("change", ({ clusterTime }) => times.push(String(clusterTime)));
    await once(changes, "resumeTokenChanged");
    return { times, close: () => changes.close() };
  };

  it("numbers a stream from 1 without gaps while two connections write to it at once", async () => {
    const addEvent = (database: Database, index: number) =>
      commit(database, { lockKeys: `${index}` }, async (uow) => {
        uow.addEvent("contended-stream", "history:cleared", {});
      });
    await Promise.all(
      oneTo(24).map((index) => addEvent(index % 2 === 0 ? here : elsewhere, index)),
    );
    expect(await seqsOf(here, "contended-stream")).toEqual(oneTo(24));
    expect(await readStreamHead(here, "contended-stream")).toBe(24);
    expect(await readStreamHead(here, "silent-stream")).toBe(0);
  });

  it("succeeds among many others that write to the admins' stream", async () => {
    const before = await readStreamHead(here, ADMINS_STREAM);
    const addEvent = (database: Database, index: number) =>
      commit(database, { lockKeys: `burst-${index}` }, async (uow) => {
        uow.addEvent(ADMINS_STREAM, "user:deleted", { username: `burst-${index}` });
      });
    await Promise.all(
      oneTo(32).map((index) => addEvent(index % 2 === 0 ? here : elsewhere, index)),
    );
    const seqs = await seqsOf(here, ADMINS_STREAM);
    expect(seqs.slice(before)).toEqual(oneTo(32).map((index) => before + index));
  });

  it("shares its transaction with others, each stream numbered on its own", async () => {
    const streams = oneTo(40).map((index) => `grouped-${index}`);
    const transactions = await countTransactions();
    const addEvent = (database: Database, stream: string) =>
      commit(database, { lockKeys: stream, groupCommit: true }, (uow) => {
        uow.addEvent(stream, "history:cleared", {});
      });
    const twice = [...streams, ...streams];
    await Promise.all(
      twice.flatMap((stream) => [addEvent(here, stream), addEvent(elsewhere, stream)]),
    );
    for (const stream of streams) expect(await seqsOf(here, stream)).toEqual([1, 2, 3, 4]);
    await vi.waitFor(() => expect(transactions.times).toHaveLength(160), 5_000);
    expect(new Set(transactions.times).size).toBeLessThan(80);
    await transactions.close();
  });

  it("that is rejected does not split the others of its group into several transactions", async () => {
    const transactions = await countTransactions();
    const addOne = (index: number, reject?: "apply" | "deferred") =>
      commit(here, { lockKeys: `many-${index}`, groupCommit: true }, (uow) => {
        uow.addEvent(`many-${index}`, "history:cleared", {});
        if (reject === "apply") throw new Error("not this one");
        if (reject !== "deferred") return index;
        uow.count(userStream(user._id), "unfinishedSignals", 1);
        uow.deferCountedInsert(here.streamHeads, userStream(user._id), () => {
          throw new Error("not this one");
        });
        return index;
      });
    const { user } = await newUser();
    const rejections = new Map<number, "apply" | "deferred">([
      [7, "apply"],
      [31, "deferred"],
    ]);
    const first = addOne(0);
    const results = await Promise.allSettled(
      oneTo(49).map((index) => addOne(index, rejections.get(index))),
    );
    await first;
    const rejected = oneTo(49).filter((index) => results[index - 1]?.status === "rejected");
    expect(rejected).toEqual([7, 31]);
    expect(await seqsOf(here, "many-7")).toEqual([]);
    expect(await seqsOf(here, "many-8")).toEqual([1]);
    await vi.waitFor(() => expect(transactions.times).toHaveLength(48), 5_000);
    expect(new Set(transactions.times).size).toBe(2);
    await transactions.close();
  });

  it("keeps neither its writes nor its event when it is rejected, and leaves no gap", async () => {
    const write = (name: string, fails: boolean) =>
      commit(here, { lockKeys: ADMINS_STREAM }, async (uow) => {
        const { session } = uow;
        await here.streamHeads.create([{ _id: `made-by-${name}`, seq: 0 }], { session });
        uow.addEvent("careful-stream", "history:cleared", {});
        if (fails) throw new Error("changed my mind");
      });
    await write("first", false);
    await expect(write("second", true)).rejects.toThrow("changed my mind");
    await write("third", false);

    expect(await seqsOf(here, "careful-stream")).toEqual([1, 2]);
    expect(await here.streamHeads.findById("made-by-second")).toBeNull();
  });

  it("numbers each of its streams on its own and all events at the same instant", async () => {
    await commit(here, { lockKeys: "both" }, async (uow) => {
      uow.addEvent("both-stream", "history:cleared", {});
      uow.addEvent("other-stream", "user:deleted", { username: "ann" });
      uow.addEvent("both-stream", "proof:deleted", {});
    });
    const events = await here.events
      .find({ stream: { $in: ["both-stream", "other-stream"] } })
      .lean();
    expect(events.map(({ stream, seq, name }) => [stream, seq, name]).sort()).toEqual([
      ["both-stream", 1, "history:cleared"],
      ["both-stream", 2, "proof:deleted"],
      ["other-stream", 1, "user:deleted"],
    ]);
    expect(new Set(events.map((event) => event.at.getTime())).size).toBe(1);
  });

  it("names the acting administrator, if there is one, in its events", async () => {
    const write = (actor: string | undefined) =>
      commit(here, { lockKeys: "acting", actor }, async (uow) => {
        uow.addEvent("acting-stream", "history:cleared", {});
      });
    await write("root");
    await write(undefined);
    const events = await here.events.find({ stream: "acting-stream" }).sort({ seq: 1 }).lean();
    expect(events.map((event) => event.actor)).toEqual(["root", undefined]);
  });

  it("continues a user's stream without a gap where another process has added events", async () => {
    const { stream, addEvent } = await newUser();
    for (const database of [here, here, elsewhere, elsewhere, here, here, elsewhere]) {
      await addEvent(database);
    }
    await Promise.all(oneTo(12).map((index) => addEvent(index % 2 === 0 ? here : elsewhere)));
    expect(await seqsOf(here, stream)).toEqual(oneTo(19));
    expect(await readStreamHead(here, stream)).toBe(19);
  });

  it("is rejected if it adds an event for a deleted user, and others of its group are not", async () => {
    const deleted = await newUser();
    const kept = await newUser();
    await deleted.addEvent();
    await removeUser(deleted.user);
    const both = await Promise.allSettled([deleted.addEvent(), kept.addEvent()]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(both[0]).toMatchObject({ reason: { code: "unauthenticated" } });
    expect(await seqsOf(here, deleted.stream)).toEqual([]);
  });

  it("is rejected if its user is deleted while it runs", async () => {
    const { user, stream } = await newUser();
    const signalId = new Types.ObjectId();
    let tries = 0;
    const late = commit(here, { lockKeys: stream }, async (uow) => {
      const { session } = uow;
      await here.users.findById(user._id).session(session).lean();
      if (++tries === 1) await removeUser(user);
      await here.idempotencyKeys.create([{ _id: "late", signalId, createdAt: new Date() }], {
        session,
      });
      uow.addEvent(stream, "history:cleared", {});
    });
    await expect(late).rejects.toMatchObject({ code: "unauthenticated" });
    expect(await here.idempotencyKeys.findById("late")).toBeNull();
    expect(await seqsOf(here, stream)).toEqual([]);
  });

  it("counts a user's unfinished signals, also those of its own group", async () => {
    const { user, stream } = await newUser();
    const counts: number[] = [];
    const add = () =>
      commit(here, { lockKeys: stream, groupCommit: true }, (uow) => {
        uow.count(userStream(user._id), "unfinishedSignals", 1);
        uow.deferCountedInsert(here.streamHeads, userStream(user._id), ({ unfinishedSignals }) => {
          counts.push(unfinishedSignals);
          return { _id: `${stream}-${unfinishedSignals}`, seq: 0 };
        });
      });
    await Promise.all(oneTo(5).map(add));
    expect(counts).toEqual([0, 1, 2, 3, 4]);
    expect((await here.users.findById(user._id).lean())?.unfinishedSignals).toBe(5);
  });

  it("is rejected in time while the database hangs, and succeeds again afterwards", async () => {
    const mongo = await startFailingMongo();
    const hanging = await openDatabase({ uri: `${mongo.uri}&appName=${mongo.appName}` });
    await mongo.fail({ commands: ["commitTransaction"], times: 1, blockMs: 8_000 });
    const addEvent = () =>
      commit(hanging, { lockKeys: "hanging", groupCommit: true }, (uow) => {
        uow.addEvent("hanging-stream", "history:cleared", {});
      });
    const startedAt = performance.now();
    const first = addEvent();
    const second = addEvent();
    await expect(first).rejects.toMatchObject({ code: "unavailable" });
    await expect(second).rejects.toMatchObject({ code: "unavailable" });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await mongo.recover();
    await vi.waitFor(() => addEvent(), { timeout: 15_000, interval: 100 });
    const seqs = await seqsOf(hanging, "hanging-stream");
    expect(seqs).toEqual(oneTo(seqs.length));
    await hanging.close();
    await mongo.stop();
  }, 40_000);

  it("does not number instructions to the servers", async () => {
    await commit(here, { lockKeys: "instruction" }, async (uow) => {
      uow.addInstruction("session:ended", { userId: "u1", reason: "deleted" });
    });
    const instruction = await here.events.findOne({ stream: "control" }).lean();
    expect(instruction?.seq).toBeUndefined();
    expect(instruction?.data).toEqual({ userId: "u1", reason: "deleted" });
  });
});
