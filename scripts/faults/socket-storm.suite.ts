import { MAX_SOCKETS_PER_USER } from "@shared/contract/constants.ts";
import { PushClient } from "@shared/testing/api-client.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { assertInvariants } from "./harness/assert-invariants.ts";
import { type FaultHarness, startHarness } from "./harness/harness.ts";
import { until } from "./harness/until.ts";

const TRADERS = 100;
/** Events of each trader while the sockets are closed. */
const MISSED = 3;
const BACK_WITHIN_MS = 60_000;
/** As the product's pages wait before they connect again. */
const BROWSER = { reconnectionDelay: 500, reconnectionDelayMax: 10_000 };

describe("1,000 sockets that reconnect at once go on from their last number and miss nothing", () => {
  let harness: FaultHarness;

  beforeAll(async () => {
    harness = await startHarness();
    for (let index = 0; index < TRADERS; index += 1) await harness.signUp();
    for (const trader of harness.traders) {
      for (let index = 0; index < MAX_SOCKETS_PER_USER; index += 1) {
        const { token } = trader;
        const since = { user: 0, admins: 0 };
        trader.sockets.push(
          new PushClient({ url: harness.servers.a.url, token, since, ...BROWSER }),
        );
      }
    }
    await until(() => sockets().every(({ socket }) => socket.connected), { what: "all sockets" });
    await assertInvariants(harness);
  });
  afterEach(() => assertInvariants(harness));
  afterAll(() => harness.close());

  const sockets = () => harness.traders.flatMap((trader) => trader.sockets);
  /** Something happens to every trader, by way of the other server. */
  const grantToAll = async () => {
    for (let round = 0; round < MISSED; round += 1) {
      for (const { username } of harness.traders) {
        await harness.administrator.grantCredits(harness.servers.b, username, 1);
      }
    }
  };
  /** How many numbered events all sockets have together. */
  const received = () => sockets().reduce((sum, socket) => sum + socket.seqs("user").length, 0);
  const untilAllReceived = (expected: number) =>
    until(() => received() >= expected, {
      what: "every event everywhere",
      withinMs: BACK_WITHIN_MS,
    });
  const MISSED_BY_ALL = TRADERS * MAX_SOCKETS_PER_USER * MISSED;

  it("when their server is killed and started again", async () => {
    const before = received();
    await harness.servers.a.kill();
    await grantToAll();
    expect(received()).toBe(before);
    await harness.servers.a.start();
    await untilAllReceived(before + MISSED_BY_ALL);
    expect(received()).toBe(before + MISSED_BY_ALL);
  });

  it("when the network cuts all of them while events are sent", async () => {
    const before = received();
    const granting = grantToAll();
    for (const socket of sockets()) socket.drop();
    await granting;
    await untilAllReceived(before + MISSED_BY_ALL);
    expect(received()).toBe(before + MISSED_BY_ALL);
  });
});
