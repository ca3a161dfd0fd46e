import type { PlanId } from "@shared/contract/plans.ts";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ANNOUNCE_APPROVAL, VERIFY_PAYMENT } from "@shared/domain/payment-verification.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { decodeEvmAddress, encodeTronAddress } from "@shared/runtime/wallet-addresses.ts";
import { createUser } from "@shared/testing/factories.ts";
import {
  FAKE_TRON_KEY,
  type FakeChain,
  type FakeTransaction,
  startFakeEvm,
  startFakeTron,
} from "@shared/testing/fakes/fake-blockchains.ts";
import { createNamedProof } from "@shared/testing/payment-factory.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { WorkQueue } from "@shared/work/work-queue.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AUTOMATIC_APPROVER } from "../subscriptions/add-payment.ts";
import { announceApprovals } from "./announce-approval.ts";
import { verifyPayments } from "./verify-payments.ts";

/** Each look runs the check once more. */
const WITHIN = { timeout: 30_000, interval: 150 };
const EVM_ADDRESS = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const OWN = decodeEvmAddress(EVM_ADDRESS) ?? "";
const OTHER = "b".repeat(40);

describe.each(["Ethereum", "Tron"] as const)("the check of payments on %s", (network) => {
  const usdt = {
    Ethereum: "dac17f958d2ee523a2206206994597c13d831ec7",
    Tron: "a614f803b6fd780986a42c78ec9c7f77e6ded13c",
  }[network];
  let database: Database;
  let chain: FakeChain;
  let queues: WorkQueue[] = [];
  let user: UserRecord;
  let hash: string;
  let hashes = 0;

  beforeAll(async () => {
    database = await openDatabase({ uri: testDatabaseUri() });
    chain = await (network === "Tron" ? startFakeTron() : startFakeEvm());
  });
  beforeEach(async () => {
    user = await createUser(database);
    hashes += 1;
    hash = `${network === "Tron" ? "" : "0x"}${hashes.toString(16).padStart(64, "a")}`;
  });
  afterEach(async () => {
    await Promise.all(queues.map((queue) => queue.stop({ drainMs: 5_000 })));
    queues = [];
    await database.jobs.deleteMany();
    chain.transactions.clear();
    chain.fault = null;
  });
  afterAll(async () => {
    await database.close();
    await chain.close();
  });

  const settings = () => ({
    USDT_EVM_ADDRESS: network === "Ethereum" ? EVM_ADDRESS : undefined,
    USDT_EVM_NETWORK: "Ethereum",
    USDT_EVM_TOKEN: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
    EVM_RPC_URL: chain.url,
    USDT_TRON_ADDRESS: network === "Tron" ? encodeTronAddress(OWN) : undefined,
    TRON_API_URL: chain.url,
    TRON_API_KEY: FAKE_TRON_KEY,
    PAYMENT_CONFIRMATIONS: 12,
    SUBSCRIPTION_GRACE_DAYS: 3,
  });
  const startWorker = (handlerOf = verifyPayments) => {
    const logger = createLogger({ service: "test", level: "silent" });
    const deps = { database, logger, now: database.now, settings: settings() };
    const workerId = `worker ${queues.length}`;
    const queue = new WorkQueue({ database, logger, workerId, handlers: [handlerOf(deps)] });
    queues.push(queue);
    queue.start();
  };
  const mine = (change: Partial<FakeTransaction> & { dollars?: number; token?: string } = {}) => {
    const { dollars = 150, token = usdt, ...more } = change;
    const transfers = [{ token, recipient: OWN, amount: BigInt(Math.round(dollars * 1e6)) }];
    chain.transactions.set(hash, { transfers, confirmations: 12, ...more });
  };
  const submit = (of = user, plan: PlanId = "pro") =>
    createNamedProof(database, of, { plan, transactionHash: hash });
  const stateOf = async (of = user) =>
    (await database.paymentProofs.findOne({ userId: of._id, replacedById: null }).lean())
      ?.verification;
  const looksAgain = () =>
    database.jobs.updateMany({ name: VERIFY_PAYMENT }, { $set: { nextRunAt: database.now() } });
  const becomes = (expected: object, of = user) =>
    vi.waitFor(async () => {
      await looksAgain();
      expect(await stateOf(of)).toMatchObject(expected);
    }, WITHIN);
  const periodsOf = (of = user) => database.billingPeriods.find({ userId: of._id }).lean();

  it("approves a payment once it has enough confirmations, and says that no administrator did", async () => {
    mine({ confirmations: 3 });
    await submit();
    startWorker();
    await becomes({ state: "confirming", confirmations: 3, needed: 12 });
    expect(await database.users.findById(user._id).lean()).toMatchObject({ approved: false });
    mine({ confirmations: 12 });
    await becomes({ state: "approved" });
    expect(await database.users.findById(user._id).lean()).toMatchObject({
      approved: true,
      subscription: { plan: "pro", months: 1, status: "active" },
      accessChange: { by: AUTOMATIC_APPROVER },
    });
    expect(await periodsOf()).toMatchObject([{ plan: "pro", by: AUTOMATIC_APPROVER }]);
    expect(
      await database.events.findOne({
        stream: userStream(user._id),
        "data.reason": "subscription-started",
      }),
    ).toMatchObject({ data: { automatic: true, approved: true } });
    expect(
      await database.securityLog.findOne({ user: user.username, type: "subscription:started" }),
    ).toMatchObject({ actor: null, details: { automatic: true, transaction: hash } });
    expect(await database.jobs.countDocuments({ name: VERIFY_PAYMENT })).toBe(0);
  });

  // What is done with a payment does not depend on where it was read.
  if (network === "Tron") return;

  it.each<[string, object, string]>([
    ["too little", { dollars: 149.999999 }, "too-little"],
    ["another token", { token: OTHER }, "wrong-token"],
    [
      "another recipient",
      { transfers: [{ token: usdt, recipient: OTHER, amount: 200_000_000n }] },
      "wrong-recipient",
    ],
    ["no transfer", { transfers: [] }, "wrong-token"],
    ["a failure", { failed: true }, "failed"],
  ])("leaves a transaction with %s to an administrator", async (_, change, problem) => {
    mine(change);
    await submit();
    startWorker();
    await becomes({ state: "manual", problem });
    expect(await database.users.findById(user._id).lean()).toMatchObject({ approved: false });
    // What is found is stored before the work is done.
    const waiting = () => database.jobs.countDocuments({ name: VERIFY_PAYMENT });
    await vi.waitFor(async () => expect(await waiting()).toBe(0), WITHIN);
  });

  it("waits again if a reorganisation removes the transaction, and takes its last result", async () => {
    mine({ confirmations: 11 });
    await submit();
    startWorker();
    await becomes({ state: "confirming", confirmations: 11 });
    chain.transactions.clear();
    await becomes({ state: "waiting", problem: "not-found" });
    mine({ confirmations: 12, failed: true });
    await becomes({ state: "manual", problem: "failed" });
    expect(await periodsOf()).toEqual([]);
  });

  it("waits while the chain's service is away", async () => {
    mine();
    chain.fault = "down";
    await submit();
    startWorker();
    await becomes({ state: "waiting", problem: "unreachable" });
    chain.fault = null;
    await becomes({ state: "approved" });
  });

  it("shows an approval to administrators by work of its own, once", async () => {
    mine();
    await submit();
    startWorker();
    await becomes({ state: "approved" });
    const shown = () =>
      database.events
        .find({ stream: ADMINS_STREAM, "data.username": user.username })
        .select({ name: 1, data: 1 })
        .lean();
    expect(await shown()).toEqual([]);
    startWorker(announceApprovals);
    await vi.waitFor(
      async () => expect(await database.jobs.countDocuments({ name: ANNOUNCE_APPROVAL })).toBe(0),
      WITHIN,
    );
    expect(await shown()).toMatchObject([
      { name: "user:updated", data: { approved: true, subscription: { plan: "pro" } } },
    ]);
  });

  it("renews a running subscription", async () => {
    mine();
    await submit();
    startWorker();
    await becomes({ state: "approved" });
    const first = (await database.users.findById(user._id).lean())?.subscription;
    hash = hash.replace(/.$/, "f");
    mine();
    await submit();
    await becomes({ state: "approved" });
    await vi.waitFor(async () => expect(await periodsOf()).toHaveLength(2), WITHIN);
    const renewed = (await database.users.findById(user._id).lean())?.subscription;
    expect(renewed).toMatchObject({ months: 2, startedAt: first?.startedAt });
  });

  it("leaves a transaction that two proofs name to an administrator, in whichever order", async () => {
    const other = await createUser(database);
    mine({ confirmations: 2 });
    await submit();
    await submit(other);
    startWorker();
    await becomes({ state: "confirming" });
    mine();
    await becomes({ state: "manual", problem: "used" });
    await becomes({ state: "manual", problem: "used" }, other);
    const third = await createUser(database);
    await submit(third);
    await becomes({ state: "manual", problem: "used" }, third);
    expect(await database.billingPeriods.countDocuments({ userId: other._id })).toBe(0);
  });

  it("adds a payment once, however many workers look and are killed", async () => {
    const users: UserRecord[] = [];
    for (let count = 0; count < 8; count += 1) {
      const payer = await createUser(database);
      hash = `${hash.slice(0, -2)}${(16 + count).toString(16)}`;
      mine();
      await submit(payer);
      users.push(payer);
    }
    startWorker();
    startWorker();
    await vi.waitFor(async () => {
      expect(
        await database.billingPeriods.countDocuments({
          by: AUTOMATIC_APPROVER,
          userId: { $in: users.map(({ _id }) => _id) },
        }),
      ).toBeGreaterThan(0);
    }, WITHIN);
    // As after a kill: what is left is done again from its start.
    await queues[0]?.stop({ drainMs: 0 });
    for (const payer of users) await becomes({ state: "approved" }, payer);
    for (const payer of users) expect(await periodsOf(payer)).toHaveLength(1);
  });

  it("leaves a proof alone that an administrator has reviewed", async () => {
    mine({ confirmations: 1 });
    const proof = await submit();
    startWorker();
    await becomes({ state: "confirming" });
    const review = { reviewedAt: new Date(), rejection: { reason: "other" as const } };
    await database.paymentProofs.updateOne({ _id: proof._id }, { $set: review });
    mine();
    await vi.waitFor(async () => {
      await looksAgain();
      expect(await database.jobs.countDocuments({ name: VERIFY_PAYMENT })).toBe(0);
    }, WITHIN);
    expect(await periodsOf()).toEqual([]);
  });
});
