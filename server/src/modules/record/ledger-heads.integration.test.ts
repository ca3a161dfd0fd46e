import { ledgerHeadsSchema } from "@shared/contract/ledger.ts";
import { attestationsOf, parseOtsFile } from "@shared/domain/opentimestamps.ts";
import { createWitnessedHead } from "@shared/testing/factories.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

const ONE = "https://one.example";
const TWO = "https://two.example";

describe("the ledger's heads and their witnesses", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.database.ledgerPublications.deleteMany({});
    await server.database.witnessReceipts.deleteMany({});
  });

  const page = async (query = "") =>
    ledgerHeadsSchema.parse(await (await server.call(`/ledger/heads${query}`)).json());

  it("are none at first", async () => {
    expect(await page()).toEqual({ heads: [], next_before: null });
  });

  it("show of each witness what can be looked up, and none of the operator's settings", async () => {
    const head = await createWitnessedHead(server.database, {
      day: "2025-01-31",
      calendars: [{ url: ONE, block: 880_000 }, { url: TWO }],
    });
    const { day, seq, hash } = head;
    const at = new Date("2025-01-31T00:05:00.000Z");
    const receipt = { day, seq, hash, status: "complete" as const, at };
    await server.database.witnessReceipts.create([
      { ...receipt, kind: "git", name: "git", commit: "c0ffee" },
      { ...receipt, kind: "webhook", name: "webhook" },
    ]);
    const found = { at: "2025-01-31T06:00:00.000Z", commit: null };
    const kept = { url: null, status: "complete", at: at.toISOString(), bitcoin_block: null };
    expect(await page()).toEqual({
      heads: [
        {
          ...head,
          witnesses: [
            { kind: "git", ...kept, commit: "c0ffee" },
            {
              kind: "opentimestamps",
              url: ONE,
              status: "complete",
              ...found,
              bitcoin_block: 880_000,
            },
            { kind: "opentimestamps", url: TWO, status: "pending", ...found, bitcoin_block: null },
            { kind: "webhook", ...kept, commit: null },
          ],
        },
      ],
      next_before: null,
    });
  });

  it("are read page by page, newest first", async () => {
    for (const day of ["2025-01-29", "2025-01-31", "2025-01-30"])
      await createWitnessedHead(server.database, { day });
    const first = await page("?limit=2");
    expect(first.heads.map(({ day }) => day)).toEqual(["2025-01-31", "2025-01-30"]);
    expect(first.next_before).toBe("2025-01-30");
    const last = await page(`?limit=2&before=${first.next_before}`);
    expect(last.heads.map(({ day }) => day)).toEqual(["2025-01-29"]);
    expect(last.next_before).toBeNull();
  });

  it.each(["?limit=0", "?limit=x", "?before=yesterday", "?before=2025-02-30"])(
    "are not listed for %s",
    async (query) => {
      expect((await server.call(`/ledger/heads${query}`)).status).toBe(422);
    },
  );

  it("come with the proofs of all calendars in one .ots file", async () => {
    const { hash } = await createWitnessedHead(server.database, {
      day: "2025-01-31",
      calendars: [{ url: ONE, block: 880_000 }, { url: TWO }],
    });
    const response = await server.call("/ledger/heads/2025-01-31/ots");
    expect(response.headers.get("Content-Disposition")).toContain("ledger-head-2025-01-31.ots");
    expect(response.headers.get("Content-Type")).toBe("application/octet-stream");
    const proof = parseOtsFile(new Uint8Array(await response.arrayBuffer()));
    expect(proof.digest.toString("hex")).toBe(hash);
    expect(attestationsOf(proof).map(({ attestation }) => attestation)).toEqual([
      { kind: "bitcoin", height: 880_000 },
      { kind: "pending", uri: TWO },
    ]);
  });

  it.each(["2025-01-30", "2024-01-31", "yesterday"])(
    "have no proof for %s if no calendar has given one",
    async (day) => {
      await createWitnessedHead(server.database, { day: "2025-01-30" });
      const response = await server.call(`/ledger/heads/${day}/ots`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ detail: "There is no proof for this day." });
    },
  );
});
