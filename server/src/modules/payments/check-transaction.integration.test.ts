import { meSchema } from "@shared/contract/account.ts";
import { errorBodySchema } from "@shared/contract/errors.ts";
import { transactionCheckSchema } from "@shared/contract/payment.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { decodeEvmAddress, encodeTronAddress } from "@shared/runtime/wallet-addresses.ts";
import { type FormValue, multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import {
  FAKE_MINED_AT,
  FAKE_TRON_KEY,
  type FakeChain,
  type FakeTransaction,
  type FakeTransfer,
  startFakeEvm,
  startFakeTron,
} from "@shared/testing/fakes/fake-blockchains.ts";
import { plainImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";
import { checkTransaction } from "./check-transaction.ts";

const EVM_ADDRESS = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const OWN = decodeEvmAddress(EVM_ADDRESS) ?? "";
/** No answer of a fake takes as long, however slow the machine is. */
const TIMEOUT_MS = 30_000;
const OTHER = "b".repeat(40);
const HASH = "5c50".padEnd(64, "0");

const CHAINS = {
  Ethereum: {
    hash: `0x${HASH}`,
    usdt: "dac17f958d2ee523a2206206994597c13d831ec7",
    encode: (digits: string) => `0x${digits}`,
  },
  Tron: {
    hash: HASH,
    usdt: "a614f803b6fd780986a42c78ec9c7f77e6ded13c",
    encode: encodeTronAddress,
  },
} as const;

describe("the transaction that a proof names", () => {
  const databaseUri = testDatabaseUri();
  let fakes: Record<keyof typeof CHAINS, FakeChain>;
  let server: TestServer;
  let plain: TestServer;
  let admin: UserRecord;
  let user: UserRecord;
  let image: Buffer;

  beforeAll(async () => {
    fakes = { Ethereum: await startFakeEvm(), Tron: await startFakeTron() };
    const environment = {
      USDT_EVM_ADDRESS: EVM_ADDRESS,
      EVM_RPC_URL: `${fakes.Ethereum.url}/v3/secret-key`,
      USDT_TRON_ADDRESS: encodeTronAddress(OWN),
      TRON_API_URL: fakes.Tron.url,
      TRON_API_KEY: FAKE_TRON_KEY,
      RATE_LIMIT: "off",
    };
    server = await startTestServer({ databaseUri, environment });
    plain = await startTestServer({ databaseUri, environment: { RATE_LIMIT: "off" } });
    admin = await createUser(server.database, { role: "admin", approved: true });
    image = await plainImage().png().toBuffer();
  });
  beforeEach(async () => {
    user = await createUser(server.database);
  });
  afterEach(async () => {
    await server.deps.background.settled();
    await server.database.proofFingerprints.deleteMany();
    for (const fake of Object.values(fakes)) {
      fake.transactions.clear();
      Object.assign(fake, { fault: null, malformed: undefined });
    }
  });
  afterAll(async () => {
    await Promise.all([server.stop(), plain.stop()]);
    await Promise.all(Object.values(fakes).map((fake) => fake.close()));
  });

  const tokenOf = (of: UserRecord) => signTokenFor(of, server.deps.settings);
  const submit = (as: UserRecord, transaction_hash: FormValue) =>
    server.call("/submit-payment-proof", {
      method: "POST",
      token: tokenOf(as),
      body: multipartForm({ sender_name: "Ann", transaction_hash, proof_image: image }),
    });
  const look = () =>
    server.call(`/admin/payments/${user.username}/transaction`, { token: tokenOf(admin) });
  const check = async (of = user, at = server) =>
    transactionCheckSchema.parse(await checkTransaction(at.deps, of.username, TIMEOUT_MS));

  describe.each(["Ethereum", "Tron"] as const)("on %s", (network) => {
    const { hash, usdt, encode } = CHAINS[network];
    const paid: FakeTransfer = { token: usdt, recipient: OWN, amount: 149_500_000n };
    const mine = (transfers: FakeTransfer[], more: Partial<FakeTransaction> = {}) =>
      fakes[network].transactions.set(hash, { transfers, confirmations: 12, ...more });
    const findings = async () => {
      const found = await check(trader);
      if (found.status !== "found") throw new Error(`The lookup ended with ${found.status}.`);
      return found;
    };
    let trader: UserRecord;
    beforeAll(async () => {
      trader = await createUser(server.database);
      expect((await submit(trader, hash)).status).toBe(201);
    });

    it("shows amount, token, recipient, time and confirmations", async () => {
      mine([paid]);
      expect(await check(trader)).toEqual({
        status: "found",
        hash,
        network,
        used_by: [],
        succeeded: true,
        confirmations: 12,
        sent_at: FAKE_MINED_AT,
        transfer: {
          token: encode(usdt),
          is_usdt: true,
          amount: "149.5",
          recipient: encode(OWN),
          is_recipient_ours: true,
        },
      });
    });

    it("shows another recipient", async () => {
      mine([{ ...paid, recipient: OTHER }]);
      expect((await findings()).transfer).toMatchObject({
        is_usdt: true,
        recipient: encode(OTHER),
        is_recipient_ours: false,
      });
    });

    it("shows another token without an amount, whatever it calls itself", async () => {
      mine([{ ...paid, token: OTHER }]);
      expect((await findings()).transfer).toMatchObject({
        token: encode(OTHER),
        is_usdt: false,
        amount: null,
        is_recipient_ours: true,
      });
    });

    it("adds up what was paid, among transfers to others", async () => {
      mine([{ ...paid, recipient: OTHER }, paid, { ...paid, token: OTHER }, paid]);
      expect((await findings()).transfer).toMatchObject({ amount: "299", is_recipient_ours: true });
    });

    it("shows that it failed, or transferred no token", async () => {
      mine([], { failed: true, confirmations: 1 });
      const failed = { succeeded: false, confirmations: 1, transfer: null };
      expect(await findings()).toMatchObject(failed);
      mine([]);
      expect(await findings()).toMatchObject({ succeeded: true, transfer: null });
    });

    it("is not found before a block contains it", async () => {
      expect(await check(trader)).toEqual({ status: "not-found", hash, network, used_by: [] });
    });

    it.each([
      ["is down", { fault: "down" }],
      ["answers a page", { fault: "html" }],
      ["answers a text", { malformed: "soon" }],
      ["answers another object", { malformed: { blockNumber: "0xnone", log: 7, logs: 7 } }],
      ["answers an error", { malformed: { Error: "class java.lang.NullPointerException" } }],
    ] as const)("is unreachable if the service %s", async (_, failure) => {
      mine([paid]);
      Object.assign(fakes[network], failure);
      expect(await check(trader)).toEqual({ status: "unreachable", hash, network, used_by: [] });
      const lines = server.logLines.filter((line) => line.includes("lookup failed"));
      expect(lines.at(-1)).toContain(network);
      expect(lines.join()).not.toMatch(/secret-key|fake-tron-key/);
    });

    it.each(["stalled-headers", "stalled-body"] as const)(
      "is unreachable if the service is too slow: %s",
      async (fault) => {
        fakes[network].fault = fault;
        const result = await checkTransaction(server.deps, trader.username, 100);
        expect(result.status).toBe("unreachable");
      },
    );
  });

  it("is stored with the proof, and lists other proofs that name it, also deleted ones", async () => {
    const first = await createUser(server.database);
    const second = await createUser(server.database);
    await submit(first, HASH);
    await submit(second, `0x${HASH}`);
    await submit(user, ` 0x${HASH.toUpperCase()} `);
    const me = await server.call("/me", { token: tokenOf(user) });
    expect(meSchema.parse(await me.json()).payment_proof?.transaction_hash).toBe(`0x${HASH}`);
    expect((await check()).used_by).toMatchObject([
      { username: second.username, state: "stored" },
      { username: first.username, state: "stored" },
    ]);
    const token = tokenOf(admin);
    await server.call(`/admin/delete-user/${first.username}`, { method: "POST", token });
    await server.call(`/admin/delete-proof/${second.username}`, { method: "POST", token });
    expect((await check()).used_by).toMatchObject([
      { username: second.username, state: "deleted" },
      { username: "a deleted user", state: "user-deleted" },
    ]);
  });

  it.each([HASH.slice(1), `${HASH}0`, "not a hash", `0x${"g".repeat(64)}`])(
    "is refused as %s",
    async (hash) => {
      const response = await submit(user, hash);
      expect(response.status).toBe(422);
      const { errors } = errorBodySchema.parse(await response.json());
      expect(errors).toMatchObject([{ field: "transaction_hash" }]);
    },
  );

  it("may be left out", async () => {
    expect((await look()).status).toBe(404);
    expect((await submit(user, "")).status).toBe(201);
    expect((await look()).status).toBe(404);
  });

  it("cannot be looked up without an address in the settings", async () => {
    await submit(user, HASH);
    expect(await check(user, plain)).toEqual({ status: "not-configured", hash: HASH, used_by: [] });
  });

  it("is asked for where the payment details say how to pay in USDT", async () => {
    const detailsOf = async (of: TestServer) => (await of.call("/payment-details")).json();
    expect(await detailsOf(server)).toMatchObject({
      usdt: [
        { network: "Ethereum", address: EVM_ADDRESS },
        { network: "Tron", address: encodeTronAddress(OWN) },
      ],
    });
    expect(await detailsOf(plain)).not.toHaveProperty("usdt");
  });
});
