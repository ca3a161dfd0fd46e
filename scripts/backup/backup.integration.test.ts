import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setInterval, setTimeout as sleep } from "node:timers/promises";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createUser } from "@shared/testing/factories.ts";
import { startFailingMongo } from "@shared/testing/failing-database.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { newDatabaseUri } from "@shared/testing/test-mongo.ts";
import { type Db, Decimal128, Int32, Long, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { CliError } from "../lib/cli.ts";
import { backUp, dumpDatabase, main, restore } from "./run-backup.ts";

/** More than are read or written at once. */
const SIGNALS = 1_100;
/** To write without a pause would take most of the processor. */
const WRITING_MS = 10;

describe("a backup", () => {
  const uri = newDatabaseUri("backup");
  let database: Database;
  let client: MongoClient;
  let folder: string;
  let restored = 0;
  beforeAll(async () => {
    database = await openDatabase({ uri });
    client = await MongoClient.connect(uri);
    folder = await mkdtemp(join(tmpdir(), "backup-"));
    const user = await createUser(database, { approved: true });
    await createSignals(database, user, { count: SIGNALS, withAnalysis: false });
    await database.connection.collection("odd_types").insertOne({
      int: new Int32(1),
      long: Long.fromString("9007199254740993"),
      decimal: Decimal128.fromString("0.10"),
      text: "grün – 緑",
      binary: Buffer.from([0, 255]),
    });
    const saved = await backUp(uri, { folder: place("mine/whole") });
    expect(saved).toMatch(/^Saved \d+ documents in/);
  });
  afterAll(async () => {
    await client.close();
    await database.close();
    await rm(folder, { recursive: true });
  });

  const emptyUri = () => newDatabaseUri(`restored-${++restored}`);
  const place = (name: string) => join(folder, name);
  const copyWhole = (name: string) => cp(place("mine/whole"), place(name), { recursive: true });
  /** Every document as its bytes, so that nothing is equal that differs in type. */
  const contentOf = async (db: Db) => {
    const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map((c) => c.name);
    const content = names.sort().map(async (name) => {
      const documents = await db
        .collection(name)
        .find({}, { raw: true })
        .sort({ _id: 1 })
        .toArray();
      const indexes = await db.collection(name).indexes();
      const bytes = documents.map((raw) =>
        Buffer.from(z.instanceof(Uint8Array).parse(raw)).toString("base64"),
      );
      return { name, documents: bytes.length, indexes, bytes };
    });
    return Promise.all(content);
  };

  it("comes back with every document, type and index", async () => {
    const target = emptyUri();
    expect(await restore(target, { folder: place("mine/whole") })).toMatch(/^Restored \d+ doc/);
    const copy = await MongoClient.connect(target);
    const before = await contentOf(client.db());
    const after = await contentOf(copy.db());
    await copy.close();
    const filled = before.filter(({ documents }) => documents > 0);
    expect(filled.find(({ name }) => name === "signals")?.documents).toBe(SIGNALS);
    expect(after.filter(({ documents }) => documents > 0)).toEqual(filled);
    const indexed = (content: typeof before) =>
      content.flatMap(({ name, indexes }) => (indexes.length > 1 ? [{ name, indexes }] : []));
    expect(indexed(after)).toEqual(indexed(before));
  });

  it("that was changed is refused before anything is written", async () => {
    await copyWhole("changed");
    const file = join(place("changed"), "users.bson.gz");
    const bytes = await readFile(file);
    bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
    await writeFile(file, bytes);
    const target = emptyUri();
    await expect(restore(target, { folder: place("changed") })).rejects.toThrow(
      "users.bson.gz is not what the manifest says",
    );
    const copy = await MongoClient.connect(target);
    expect(await copy.db().listCollections().toArray()).toEqual([]);
    await copy.close();
  });

  it("is readable by its owner only", async () => {
    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    expect(await Promise.all(["mine", "mine/whole"].map((it) => modeOf(place(it))))).toEqual([
      "700",
      "700",
    ]);
    const files = await readdir(place("mine/whole"));
    const modes = await Promise.all(files.map((file) => modeOf(join(place("mine/whole"), file))));
    expect(new Set(modes)).toEqual(new Set(["600"]));
  });

  describe("with a passphrase, while more is written", () => {
    const passphrase = "correct horse battery";
    const encrypted = () => ({ folder: place("secret"), passphrase });
    let writer: UserRecord;
    let written = 0;
    let copy: MongoClient;
    beforeAll(async () => {
      writer = await createUser(database, { approved: true });
      const stream = userStream(writer._id);
      const backedUp = new AbortController();
      const writing = (async () => {
        for await (const _ of setInterval(WRITING_MS)) {
          await commit(database, { lockKeys: stream }, ({ addEvent }) => {
            addEvent(stream, "proof:deleted", {});
            return Promise.resolve();
          });
          written += 1;
          if (backedUp.signal.aborted) return;
        }
      })();
      const saved = await backUp(uri, { ...encrypted(), scryptWorkFactor: 10 });
      backedUp.abort();
      await writing;
      expect(saved).toMatch(/secret, encrypted\.$/);
      const target = emptyUri();
      expect(await restore(target, encrypted())).toMatch(/^Restored \d+ documents/);
      copy = await MongoClient.connect(target);
    });
    afterAll(() => copy.close());

    it("is of one moment", async () => {
      const stream = userStream(writer._id);
      const events = await copy.db().collection("events").countDocuments({ stream });
      const restored = await copy.db().collection("users").findOne({ _id: writer._id });
      expect(restored?.lastEventSeq).toBe(events);
      expect(events).toBeLessThan(written);
    });

    it("is encrypted, and comes back whole", async () => {
      const { folder: secret } = encrypted();
      const files = await readdir(secret);
      expect(files).toContain("users.bson.gz.age");
      for (const file of files) {
        const start = (await readFile(join(secret, file))).toString("latin1", 0, 21);
        expect(start).toBe("age-encryption.org/v1");
      }
      expect(await copy.db().collection("signals").countDocuments()).toBe(SIGNALS);
    });

    it("comes back with the same passphrase only, and unchanged", async () => {
      const { folder: secret } = encrypted();
      const refusals = emptyUri();
      await expect(restore(refusals, { folder: secret })).rejects.toThrow(
        new CliError("The backup is encrypted: set BACKUP_PASSPHRASE."),
      );
      await expect(restore(refusals, { ...encrypted(), passphrase: "another" })).rejects.toThrow(
        new CliError("BACKUP_PASSPHRASE is wrong, or key.age was changed."),
      );
      const file = join(secret, "signals.bson.gz.age");
      await truncate(file, (await stat(file)).size - 1_000);
      await expect(restore(refusals, encrypted())).rejects.toThrow(
        new CliError("The files of signals cannot be read: they were changed or are incomplete."),
      );
      const untouched = await MongoClient.connect(refusals);
      expect(await untouched.db().listCollections().toArray()).toEqual([]);
      await untouched.close();
    });
  });

  it("that someone has replaced by one without encryption is refused", async () => {
    await copyWhole("plain");
    const passphrase = "correct horse battery";
    await expect(restore(emptyUri(), { folder: place("plain"), passphrase })).rejects.toThrow(
      "plain holds no encrypted backup",
    );
  });

  it("does not go over another database, or another backup", async () => {
    const whole = { folder: place("mine/whole") };
    await expect(restore(uri, whole)).rejects.toThrow("is not empty");
    await expect(backUp(uri, whole)).rejects.toThrow("exists already");
    await expect(restore(emptyUri(), { folder })).rejects.toThrow("holds no backup");
  });

  it("is complete even if the database keeps old versions for a shorter time than it takes", async () => {
    const mongo = await startFailingMongo();
    const slow = await MongoClient.connect(mongo.uri, { appName: mongo.appName });
    const admin = slow.db("admin");
    const parameter = "minSnapshotHistoryWindowInSeconds";
    await admin.command({ setParameter: 1, [parameter]: 0 });
    const db = slow.db();
    await db.collection("first").insertMany([{ at: 1 }, { at: 2 }]);
    await db.collection("second").insertOne({ at: 3 });
    await mongo.fail({ commands: ["find"], times: 2, blockMs: 1_500 });
    const dumped = new AbortController();
    const dumping = dumpDatabase(slow, { folder: place("slow") });
    const writing = (async () => {
      // The database forgets old versions only while more is written.
      while (!dumped.signal.aborted) {
        await db.collection("written").insertOne({});
        await sleep(WRITING_MS);
      }
    })();
    const { collections } = await dumping.finally(() => dumped.abort());
    await writing;
    expect(collections).toContainEqual(expect.objectContaining({ name: "first", documents: 2 }));
    expect(collections).toContainEqual(expect.objectContaining({ name: "second", documents: 1 }));
    const after = await admin.command({ getParameter: 1, [parameter]: 1 });
    expect(after[parameter]).toBe(0);
    await slow.close();
    await mongo.stop();
  });
});

it.each([[["create", "--help"]], [["restore"]]])("the command %j gets the usage", async (args) => {
  const { signal } = new AbortController();
  const running = main({ args, say: () => undefined, signal });
  await expect(running).rejects.toThrow("Usage: npm run backup -- [folder]");
});
