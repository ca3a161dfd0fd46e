import { createHash } from "node:crypto";
import { DAY_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { attestationsOf, parseOtsFile } from "@shared/domain/opentimestamps.ts";
import { type FakeCalendar, startFakeCalendar } from "@shared/testing/fakes/fake-calendar.ts";
import { type HttpFake, readText, startHttpFake } from "@shared/testing/fakes/fake-http.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { Types } from "mongoose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Witness, witnessHeads } from "./ledger-heads.ts";
import { calendarWitness, webhookWitness } from "./witnesses.ts";

const NOON = Date.parse("2025-01-31T12:00:00.000Z");
const QUICK = { timeoutMs: 1_000 };

const hashOf = (day: string) => createHash("sha256").update(day).digest("hex");

describe("witnesses of the ledger's heads", () => {
  let database: Database;
  let calendar: FakeCalendar;
  let now: number;
  /** Bodies that the webhook got, and the statuses that it responds with next; 204 after that. */
  let posted: unknown[];
  let statuses: number[];
  let receiver: HttpFake;

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await database.ledgerPublications.deleteMany({});
    await database.witnessReceipts.deleteMany({});
    calendar = await startFakeCalendar();
    now = NOON;
    posted = [];
    statuses = [];
    receiver = await startHttpFake(async (request, response) => {
      posted.push(JSON.parse(await readText(request)));
      response.writeHead(statuses.shift() ?? 204, { location: "/moved" }).end();
    });
    await publish("2025-01-31");
  });
  afterEach(() => Promise.all([calendar.close(), receiver.close()]));

  async function publish(day: string) {
    const at = `${day}T00:00:00.000Z`;
    await database.ledgerPublications.create({ _id: day, seq: 12, hash: hashOf(day), at });
    return { day, seq: 12, hash: hashOf(day), at };
  }
  const round = async (...witnesses: Witness[]) => {
    const abort = new AbortController().signal;
    const failures = await witnessHeads({ database, witnesses, now: () => new Date(now), abort });
    return failures.map(({ witness }) => witness);
  };
  const stamp = () => round(calendarWitness(calendar.url, QUICK));
  const receipts = () => database.witnessReceipts.find().sort({ day: 1 });
  const attested = async () => {
    const [receipt] = await receipts();
    return attestationsOf(parseOtsFile(receipt?.proof ?? Buffer.of()));
  };

  describe("a calendar", () => {
    it("gets the hash of a day's head once, and its promise is kept as an .ots file", async () => {
      expect(await stamp()).toEqual([]);
      expect(await stamp()).toEqual([]);
      expect(calendar.submitted).toEqual([hashOf("2025-01-31")]);
      expect(await receipts()).toMatchObject([
        { kind: "opentimestamps", name: calendar.url, status: "pending", seq: 12 },
      ]);
      const [receipt] = await receipts();
      const { digest } = parseOtsFile(receipt?.proof ?? Buffer.of());
      expect(digest.toString("hex")).toBe(hashOf("2025-01-31"));
      expect((await attested()).map(({ attestation }) => attestation)).toEqual([
        { kind: "pending", uri: calendar.url },
      ]);
    });

    it("is asked every half hour until the head is in Bitcoin, and then no more", async () => {
      await stamp();
      now += 29 * MINUTE_MS;
      await stamp();
      expect(calendar.asked).toEqual([]);
      now += MINUTE_MS;
      await stamp();
      await stamp();
      expect(calendar.asked).toHaveLength(1);
      expect(await receipts()).toMatchObject([{ status: "pending" }]);

      calendar.mine(800);
      now += 30 * MINUTE_MS;
      await stamp();
      expect(await receipts()).toMatchObject([
        { status: "complete", bitcoinBlock: 800, at: new Date(now) },
      ]);
      expect((await attested()).map(({ attestation }) => attestation)).toEqual([
        { kind: "bitcoin", height: 800 },
      ]);
      now += DAY_MS;
      await stamp();
      expect(calendar.asked).toHaveLength(2);
      expect(calendar.submitted).toHaveLength(1);
    });

    it.each(["down", "unavailable", "slow", "garbage", "elsewhere"] as const)(
      "that is %s leaves nothing behind, and is tried again",
      async (fault) => {
        calendar.behave(fault);
        expect(await stamp()).toEqual([calendar.url]);
        expect(await receipts()).toEqual([]);
        calendar.behave(null);
        expect(await stamp()).toEqual([]);
        expect(await receipts()).toMatchObject([{ status: "pending" }]);
      },
    );

    it.each(["down", "unavailable", "slow", "garbage"] as const)(
      "that is %s when a proof is due leaves the proof as it was",
      async (fault) => {
        await stamp();
        calendar.mine(800);
        calendar.behave(fault);
        now += 30 * MINUTE_MS;
        expect(await stamp()).toEqual([calendar.url]);
        expect((await attested()).map(({ attestation }) => attestation.kind)).toEqual(["pending"]);
        calendar.behave(null);
        now += 30 * MINUTE_MS;
        expect(await stamp()).toEqual([]);
        expect(await receipts()).toMatchObject([{ status: "complete" }]);
      },
    );

    it("that is slow delays no other witness", async () => {
      calendar.behave("slow");
      const other = await startFakeCalendar();
      const slow = calendarWitness(calendar.url, { timeoutMs: 60_000 });
      const abort = new AbortController();
      const running = witnessHeads({
        database,
        now: () => new Date(now),
        abort: abort.signal,
        witnesses: [slow, calendarWitness(other.url), webhookWitness(receiver.url)],
      });
      await expect.poll(async () => (await receipts()).length, { timeout: 10_000 }).toBe(2);
      abort.abort();
      expect((await running).map(({ witness }) => witness)).toEqual([calendar.url]);
      await other.close();
    });
  });

  describe("a webhook", () => {
    const post = () => round(webhookWitness(receiver.url, QUICK));

    it("gets the heads that it lacks, oldest first, and each of them once", async () => {
      const saturday = await publish("2025-02-01");
      now += DAY_MS;
      await post();
      await post();
      const friday = { ...saturday, day: "2025-01-31", hash: hashOf("2025-01-31") };
      expect(posted).toEqual([{ ...friday, at: "2025-01-31T00:00:00.000Z" }, saturday]);
    });

    it("gets no heads that are older than a week", async () => {
      now += 7 * DAY_MS;
      await publish("2025-02-01");
      await post();
      expect(posted).toMatchObject([{ day: "2025-02-01" }]);
    });

    it.each([500, 404, 307])("that responds with %i gets the head again", async (status) => {
      statuses = [status];
      expect(await post()).toEqual(["webhook"]);
      expect(await receipts()).toEqual([]);
      expect(await post()).toEqual([]);
      expect(posted).toHaveLength(2);
    });
  });

  it("give one receipt to workers that hand over a head at the same moment", async () => {
    const workers = 8;
    let arrived = 0;
    let meet: () => void;
    const allArrived = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const meeting: Witness = {
      kind: "webhook",
      name: "webhook",
      async submit() {
        arrived += 1;
        if (arrived === workers) meet();
        await allArrived;
        return { status: "complete" };
      },
    };
    const rounds = await Promise.all(Array.from({ length: workers }, () => round(meeting)));
    expect(rounds.flat()).toEqual([]);
    const [receipt, ...more] = await database.witnessReceipts.find().lean();
    expect(more).toEqual([]);
    // Also at a moment that this test does not meet.
    const second = { ...receipt, _id: new Types.ObjectId() };
    await expect(database.witnessReceipts.collection.insertOne(second)).rejects.toMatchObject({
      code: 11_000,
    });
  });

  it("are asked for a due proof by one of two workers", async () => {
    await stamp();
    calendar.mine(800);
    now += 30 * MINUTE_MS;
    await Promise.all([stamp(), stamp()]);
    expect(calendar.asked).toHaveLength(1);
    expect(await receipts()).toMatchObject([{ status: "complete" }]);
  });

  it("are called again by the next worker if one crashed before it stored the receipt", async () => {
    const dying: Witness = {
      ...webhookWitness(receiver.url),
      submit: async (head, abort) => {
        await webhookWitness(receiver.url).submit(head, abort);
        throw new Error("the process ends here");
      },
    };
    await round(dying);
    expect(await receipts()).toEqual([]);
    await round(webhookWitness(receiver.url));
    await round(webhookWitness(receiver.url));
    expect(posted).toHaveLength(2);
    expect(await receipts()).toHaveLength(1);
  });
});
