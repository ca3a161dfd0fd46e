import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Database, openDatabase } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
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
import { freePort } from "@shared/testing/spawn-service.ts";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ReplicaSet, ServiceSlot } from "../faults/harness/processes.ts";
import { until } from "../faults/harness/until.ts";

const PAYMENTS = 1_000;
const NEEDED = 12;
const MAX_ACCESS_MS = 60_000;
const SEED = 20_261_128;
/** An hour, shortened, with blocks that come faster than those of the real chains by a part of that. */
const ARRIVAL_MS = 240_000;
const BLOCK_MS = 2_000;
const KILLS = 6;

const EVM_ADDRESS = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const OWN = decodeEvmAddress(EVM_ADDRESS) ?? "";
const OTHER = "b".repeat(40);
const USDT = {
  evm: "dac17f958d2ee523a2206206994597c13d831ec7",
  tron: "a614f803b6fd780986a42c78ec9c7f77e6ded13c",
} as const;

/** What becomes of a payment: `lost` and `returned` are reorganisations, after which it is gone or in another block. */
const FATES = [
  "right",
  "returned",
  "lost",
  "too-little",
  "other-token",
  "elsewhere",
  "used",
] as const;
type Fate = (typeof FATES)[number];
const APPROVED: readonly Fate[] = ["right", "returned"];

interface Payment {
  chain: keyof typeof USDT;
  fate: Fate;
  hash: string;
  user: UserRecord;
  startMs: number;
  /** Time at which its last block was found, by the clock of this machine. */
  confirmedAt?: number;
}

const fateOf = (number: number): Fate => {
  if (number < 70) return "right";
  if (number < 82) return "returned";
  return FATES[2 + Math.floor((number - 82) / 3.6)] ?? "used";
};

describe("1,000 payments of the same price, by two servers that are killed", () => {
  const random = xoroshiro128plus(SEED);
  let mongo: ReplicaSet;
  let database: Database;
  let chains: Record<Payment["chain"], FakeChain>;
  let servers: ServiceSlot[];
  beforeAll(async () => {
    mongo = await ReplicaSet.launch(1);
    database = await openDatabase({ uri: mongo.uri("the-test") });
  });
  beforeEach(async () => {
    chains = { evm: await startFakeEvm(), tron: await startFakeTron() };
    servers = await Promise.all(["server-a", "server-b"].map(slot));
    await Promise.all(servers.map((server) => server.start()));
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await Promise.all([chains.evm.close(), chains.tron.close()]);
  });
  afterAll(async () => {
    await database.close();
    await mongo.remove();
  });

  const secret = randomUUID().repeat(2);
  const slot = async (name: string) =>
    new ServiceSlot({
      name,
      kind: "server",
      env: {
        MONGODB_URI: mongo.uri(name),
        API_PORT: String(await freePort()),
        JWT_SECRET: secret,
        RATE_LIMIT: "off",
        AUTO_APPROVE_VERIFIED_PAYMENTS: "on",
        PAYMENT_CONFIRMATIONS: String(NEEDED),
        USDT_EVM_ADDRESS: EVM_ADDRESS,
        USDT_EVM_NETWORK: "Ethereum",
        USDT_EVM_TOKEN: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
        EVM_RPC_URL: chains.evm.url,
        USDT_TRON_ADDRESS: encodeTronAddress(OWN),
        TRON_API_URL: chains.tron.url,
        TRON_API_KEY: FAKE_TRON_KEY,
      },
    });
  const makePayments = async (fate: (index: number) => Fate, spanMs: number) => {
    const payments: Payment[] = [];
    for (let index = 0; index < PAYMENTS; index += 1) {
      const chain = index % 2 === 0 ? "evm" : "tron";
      const text = (index + 1).toString(16).padStart(63, "0");
      payments.push({
        chain,
        fate: fate(index),
        hash: `${chain === "evm" ? "0x" : ""}${spanMs === 0 ? "a" : "b"}${text}`,
        user: await createUser(database),
        startMs: uniformInt(random, 0, Math.max(0, spanMs)),
      });
    }
    return payments;
  };
  const submit = async ({ user, hash }: Payment) => {
    await createNamedProof(database, user, { plan: "pro", transactionHash: hash });
  };
  const kill = async (index: number) => {
    await servers[index % 2]?.kill();
    await servers[index % 2]?.start();
  };

  it("are approved within 60 s of their last block, exactly those that are right, once each", async () => {
    const payments = await makePayments(() => fateOf(uniformInt(random, 0, 99)), ARRIVAL_MS);
    const blocks = runChains(chains, payments);
    const killing = (async () => {
      for (let count = 0; count < KILLS; count += 1) {
        await delay(ARRIVAL_MS / KILLS);
        await kill(count);
      }
    })();
    const startedAt = Date.now();
    for (const payment of payments.toSorted((one, other) => one.startMs - other.startMs)) {
      await delay(Math.max(0, startedAt + payment.startMs - Date.now()));
      await submit(payment);
      // Somebody else names the same transaction.
      if (payment.fate === "used") {
        await submit({ ...payment, user: await createUser(database) });
      }
    }
    await killing;
    await expectApproved(database, payments, "spread over 4 minutes");
    await blocks.stop();
  }, 900_000);

  it("are approved within 60 s though all get their last block at once and both servers are killed", async () => {
    const payments = await makePayments(() => "right", 0);
    const set = (confirmations: number) => {
      for (const payment of payments) {
        chains[payment.chain].transactions.set(payment.hash, transactionOf(payment, confirmations));
      }
    };
    set(NEEDED - 1);
    for (const payment of payments) await submit(payment);
    await until(
      async () =>
        (await database.paymentProofs.countDocuments({
          userId: { $in: payments.map(({ user }) => user._id) },
          "verification.confirmations": NEEDED - 1,
        })) === PAYMENTS,
      { what: "a look at all payments", withinMs: 120_000 },
    );
    set(NEEDED);
    for (const payment of payments) payment.confirmedAt = Date.now();
    await delay(2_000);
    await kill(0);
    await delay(3_000);
    await kill(1);
    await expectApproved(database, payments, "all at once");
  }, 600_000);
});

function transactionOf({ chain, fate }: Payment, confirmations: number): FakeTransaction {
  const token = fate === "other-token" ? OTHER : USDT[chain];
  const recipient = fate === "elsewhere" ? OTHER : OWN;
  const amount = fate === "too-little" ? 149_999_999n : 150_000_000n;
  return { transfers: [{ token, recipient, amount }], confirmations };
}

/** Adds blocks to the chains. A reorganisation takes a payment out after some of them; some payments come back. */
function runChains(chains: Record<Payment["chain"], FakeChain>, payments: readonly Payment[]) {
  const startedAt = Date.now();
  let isStopped = false;
  const tick = () => {
    for (const payment of payments) {
      const block = Math.floor((Date.now() - startedAt - payment.startMs) / BLOCK_MS);
      if (block < 1) continue;
      const { transactions } = chains[payment.chain];
      const confirmations = confirmationsAt(payment, block);
      if (confirmations === 0) transactions.delete(payment.hash);
      else transactions.set(payment.hash, transactionOf(payment, confirmations));
      if (confirmations >= NEEDED) payment.confirmedAt ??= Date.now();
    }
  };
  const running = (async () => {
    while (!isStopped) {
      tick();
      await delay(200);
    }
  })();
  return {
    stop() {
      isStopped = true;
      return running;
    },
  };
}

const REORGANISED_AT = 9;
const GONE_BLOCKS = 4;

function confirmationsAt({ fate }: Payment, block: number): number {
  const isReorganised = (fate === "lost" || fate === "returned") && block >= REORGANISED_AT;
  if (!isReorganised) return block;
  return fate === "lost" ? 0 : Math.max(0, block - REORGANISED_AT - GONE_BLOCKS);
}

async function expectApproved(
  database: Database,
  payments: readonly Payment[],
  title: string,
): Promise<void> {
  const right = payments.filter(({ fate }) => APPROVED.includes(fate));
  const userIds = payments.map(({ user }) => user._id);
  const periodsOf = () => database.billingPeriods.find({ userId: { $in: userIds } }).lean();
  await until(async () => (await periodsOf()).length >= right.length, {
    what: "all approvals",
    withinMs: 240_000,
  });
  // What is wrong has had the time to be approved, too.
  await delay(25_000);
  const periods = await periodsOf();
  const byUser = new Map(periods.map((period) => [period.userId.toString(), period]));
  const delays = right.map(({ user, confirmedAt = Number.NaN }) => {
    const at = byUser.get(user._id.toString())?.createdAt.getTime() ?? Number.NaN;
    return at - confirmedAt;
  });
  delays.sort((one, other) => one - other);
  const at = (share: number) => delays[Math.ceil(share * delays.length) - 1] ?? Number.NaN;
  const shown = { p50: at(0.5), p99: at(0.99), max: at(1) };
  process.stdout.write(
    `payments ${title}: ${right.length} of ${payments.length} approved, ms until access ${JSON.stringify(shown)}\n`,
  );
  expect(periods.map(({ userId }) => userId.toString()).toSorted()).toEqual(
    right.map(({ user }) => user._id.toString()).toSorted(),
  );
  const approved = await database.users.countDocuments({
    _id: { $in: right.map(({ user }) => user._id) },
    approved: true,
  });
  expect(approved).toBe(right.length);
  expect(shown.max).toBeLessThanOrEqual(MAX_ACCESS_MS);
}
