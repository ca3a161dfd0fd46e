import { once } from "node:events";
import { Collection } from "mongodb";
import { Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createUser } from "../testing/factories.ts";
import { testDatabaseUri } from "../testing/test-mongo.ts";
import { type Database, openDatabase } from "./database.ts";
import { commitChange, endStream } from "./event-log.ts";
import { knownHeads } from "./known-heads.ts";
import type { UserRecord } from "./models/user.ts";
import { readHeads } from "./stream-heads.ts";
import { ADMINS_STREAM, userStream } from "./streams.ts";

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

  /** As `deleteUser` does it: his stream's counter ends in the change that removes him. */
  const removeUser = (user: UserRecord) =>
    commitChange(elsewhere, { serializeOn: "removing" }, async (change) => {
      await elsewhere.users.deleteOne({ _id: user._id }, { session: change.session });
      await endStream(elsewhere, change, userStream(user._id));
    });

  /** A user and his stream; `tellHim` tells him one event more. */
  const newUser = async () => {
    const user = await createUser(here);
    const stream = userStream(user._id);
    const tellHim = (database = here) =>
      commitChange(database, { serializeOn: stream, isPooled: true }, ({ tell }) => {
        tell(stream, "history:cleared", {});
      });
    return { user, stream, tellHim };
  };

  it("numbers a stream from 1 without gaps while two connections write to it at once", async () => {
    const change = (database: Database, index: number) =>
      commitChange(database, { serializeOn: `${index}` }, async ({ tell }) => {
        tell("crowded-stream", "history:cleared", {});
      });
    await Promise.all(oneTo(60).map((index) => change(index % 2 === 0 ? here : elsewhere, index)));
    expect(await seqsOf(here, "crowded-stream")).toEqual(oneTo(60));
    expect(await readHeads(here, ["crowded-stream", "silent-stream"])).toEqual([60, 0]);
  });

  it("takes a burst of changes that have nothing in common but that the admins hear of them", async () => {
    const [before = 0] = await readHeads(here, [ADMINS_STREAM]);
    const change = (database: Database, index: number) =>
      commitChange(database, { serializeOn: `burst-${index}` }, async ({ tell }) => {
        tell(ADMINS_STREAM, "user:deleted", { username: `burst-${index}` });
      });
    await Promise.all(oneTo(80).map((index) => change(index % 2 === 0 ? here : elsewhere, index)));
    const seqs = await seqsOf(here, ADMINS_STREAM);
    expect(seqs.slice(before)).toEqual(oneTo(80).map((index) => before + index));
  });

  it("commits a crowd of pooled changes in a few transactions, each stream numbered on its own", async () => {
    const streams = oneTo(40).map((index) => `pooled-${index}`);
    const changes = here.events.collection.watch([
      { $match: { "fullDocument.stream": { $exists: true } } },
    ]);
    const commits: unknown[] = [];
    changes.on("change", ({ clusterTime }) => commits.push(String(clusterTime)));
    await once(changes, "resumeTokenChanged");
    const change = (database: Database, stream: string) =>
      commitChange(database, { serializeOn: stream, isPooled: true }, ({ tell }) => {
        tell(stream, "history:cleared", {});
      });
    const twice = [...streams, ...streams];
    await Promise.all(twice.flatMap((stream) => [change(here, stream), change(elsewhere, stream)]));
    for (const stream of streams) expect(await seqsOf(here, stream)).toEqual([1, 2, 3, 4]);
    await vi.waitFor(() => expect(commits).toHaveLength(160), 5_000);
    expect(new Set(commits).size).toBeLessThan(80);
    await changes.close();
  });

  it("fails the one of several pooled changes that fails, and none of the others", async () => {
    const change = async (index: number) => {
      const stream = `failing-${index}`;
      const options = { serializeOn: stream, isPooled: true };
      return commitChange(here, options, ({ insert, tell }) => {
        insert(here.streamHeads.collection, { _id: `made-in-${stream}`, head: 0 });
        tell(stream, "history:cleared", {});
        if (index === 7) throw new Error("not this one");
        return index;
      });
    };
    const results = await Promise.allSettled(oneTo(12).map(change));
    const outcomes = results.map((result) => result.status === "fulfilled" && result.value);
    expect(outcomes).toEqual(oneTo(12).map((index) => index !== 7 && index));
    const made = await here.streamHeads.find({ _id: /^made-in-failing/ }).lean();
    expect(made.map(({ _id }) => _id).sort()).toEqual(
      oneTo(12)
        .filter((index) => index !== 7)
        .map((index) => `made-in-failing-${index}`)
        .sort(),
    );
    expect(await seqsOf(here, "failing-7")).toEqual([]);
    expect(await seqsOf(here, "failing-8")).toEqual([1]);
  });

  it("keeps neither the change nor the event when the change fails, and leaves no hole", async () => {
    const rename = (username: string, fail: boolean) =>
      commitChange(here, { serializeOn: ADMINS_STREAM }, async ({ session, tell }) => {
        await here.streamHeads.create([{ _id: `made-by-${username}`, head: 0 }], { session });
        tell("careful-stream", "history:cleared", {});
        if (fail) throw new Error("changed my mind");
      });
    await rename("first", false);
    await expect(rename("second", true)).rejects.toThrow("changed my mind");
    await rename("third", false);

    expect(await seqsOf(here, "careful-stream")).toEqual([1, 2]);
    expect(await here.streamHeads.findById("made-by-second")).toBeNull();
  });

  it("numbers each stream of one change on its own and all at the same instant", async () => {
    await commitChange(here, { serializeOn: "both" }, async ({ tell }) => {
      tell("both-stream", "history:cleared", {});
      tell("everybody", "user:deleted", { username: "gone" });
      tell("both-stream", "proof:deleted", {});
    });
    const events = await here.events.find({ stream: { $in: ["both-stream", "everybody"] } }).lean();
    expect(events.map(({ stream, seq, name }) => [stream, seq, name]).sort()).toEqual([
      ["both-stream", 1, "history:cleared"],
      ["both-stream", 2, "proof:deleted"],
      ["everybody", 1, "user:deleted"],
    ]);
    expect(new Set(events.map((event) => event.at.getTime())).size).toBe(1);
  });

  it("names the administrator who acts in each event that tells of it, and in no other", async () => {
    const change = (actor: string | undefined) =>
      commitChange(here, { serializeOn: "acting", actor }, async ({ tell }) => {
        tell("acting-stream", "history:cleared", {});
      });
    await change("root");
    await change(undefined);
    const events = await here.events.find({ stream: "acting-stream" }).sort({ seq: 1 }).lean();
    expect(events.map((event) => event.actor)).toEqual(["root", undefined]);
  });

  it("goes on without a gap where another process has told something meanwhile", async () => {
    const { stream, tellHim } = await newUser();
    for (const database of [here, here, elsewhere, elsewhere, here, here, elsewhere]) {
      await tellHim(database);
    }
    await Promise.all(oneTo(12).map((index) => tellHim(index % 2 === 0 ? here : elsewhere)));
    expect(await seqsOf(here, stream)).toEqual(oneTo(19));
    expect(await readHeads(here, [stream])).toEqual([19]);
  });

  it("asks for no number where it knows the last one", async () => {
    const { stream, tellHim } = await newUser();
    await tellHim();
    const asked = vi.spyOn(Collection.prototype, "findOneAndUpdate");
    await tellHim();
    expect(asked).not.toHaveBeenCalled();
    knownHeads(here).forgetAll();
    await tellHim();
    expect(asked).toHaveBeenCalledOnce();
    asked.mockRestore();
    expect(await seqsOf(here, stream)).toEqual([1, 2, 3]);
  });

  it("tells a user who is gone nothing, though it knows where his stream stood", async () => {
    const { user, stream, tellHim } = await newUser();
    await tellHim();
    await removeUser(user);
    await expect(tellHim()).rejects.toMatchObject({ code: "unauthenticated" });
    expect(await seqsOf(here, stream)).toEqual([]);
    expect(await readHeads(here, [stream])).toEqual([0]);
  });

  it("tells a user nothing any more once he is gone, even if the change began before", async () => {
    const user = await createUser(here);
    const stream = userStream(user._id);
    const signalId = new Types.ObjectId();
    let tries = 0;
    const late = commitChange(here, { serializeOn: stream }, async ({ session, tell }) => {
      await here.users.findById(user._id).session(session).lean();
      if (++tries === 1) await removeUser(user);
      await here.idempotencyKeys.create([{ _id: "late", signalId, createdAt: new Date() }], {
        session,
      });
      tell(stream, "history:cleared", {});
    });
    await expect(late).rejects.toMatchObject({ code: "unauthenticated" });
    expect(await here.idempotencyKeys.findById("late")).toBeNull();
    expect(await seqsOf(here, stream)).toEqual([]);
    expect(await readHeads(here, [stream])).toEqual([0]);
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
