import type {
  HeadWitness,
  LedgerEntry,
  LedgerHeads,
  WitnessedHead,
} from "@shared/contract/ledger.ts";
import { makeLedger } from "@shared/testing/ledger-factory.ts";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { api, apiUrl } from "../../testing/fake-api.ts";
import { openPart } from "../../testing/open-app.tsx";
import { LedgerPage } from "./ledger-page.tsx";

const entries = makeLedger([
  { kind: "analysis", revealed: true },
  { kind: "analysis", revealed: true, figures: { symbol: "ETH/USDT" } },
  { kind: "outcome", of: 1, outcome: "WIN" },
  { kind: "outcome", of: 2, outcome: "LOSS" },
  { kind: "analysis", revealed: false },
]);
const noHeads: LedgerHeads = { heads: [], next_before: null };

function stamp(day: string, block: number | null): HeadWitness {
  const status = block === null ? "pending" : "complete";
  const url = "https://calendar.example";
  return {
    kind: "opentimestamps",
    url,
    status,
    bitcoin_block: block,
    commit: null,
    at: `${day}T06:00:00.000Z`,
  };
}

function headOf(day: string, witnesses: readonly HeadWitness[]): WitnessedHead {
  const hash = "ab".repeat(32);
  return { day, seq: 5, hash, at: `${day}T00:00:00.000Z`, witnesses: [...witnesses] };
}

/** Opens the page with a ledger behind it; what is downloaded may differ from what is listed. */
function openWith(
  downloaded: readonly LedgerEntry[] = entries,
  heads: LedgerHeads = noHeads,
  listed: readonly LedgerEntry[] = entries,
) {
  const last = listed.at(-1)?.record;
  const head = { seq: last?.seq, hash: last?.hash, at: last?.at };
  api.reply("GET /ledger/head", head);
  api.reply("GET /ledger/heads", heads);
  api.reply("GET /ledger", { entries: listed, next_after: null, head });
  const lines = downloaded.map((entry) => `${JSON.stringify(entry)}\n`);
  api.replyText("GET /ledger/download", lines.join(""));
  return openPart(<LedgerPage />, undefined, "/ledger");
}

test("analyses and outcomes of the demo record are labelled", async () => {
  const demo = makeLedger([
    { kind: "analysis", revealed: true, demo: true, figures: { data: "replay" } },
    { kind: "outcome", of: 1, demo: true },
    { kind: "analysis", revealed: true, figures: { data: "replay" } },
  ]);
  openWith(demo, noHeads, demo);
  expect(await screen.findAllByText("Demo record, from recorded candles")).toHaveLength(2);
  expect(screen.getAllByText("Demo data")).toHaveLength(1);
});

const verify = async ({ user }: ReturnType<typeof openPart>) =>
  user.click(await screen.findByRole("button", { name: /^Verify/ }));

test("hidden analyses differ from resolved ones", async () => {
  const { user } = openWith();
  await screen.findAllByText(/^#\d/);
  const records = screen.getAllByRole("listitem").filter((item) => item.textContent?.includes("#"));
  expect(records).toHaveLength(5);
  expect(records[0]?.textContent).toContain("Hidden until resolved");
  expect(records[1]?.textContent).toContain("LOSS");
  expect(records[1]?.textContent).toContain("\u22121.05 R");
  expect(records[3]?.textContent).toContain("ETH/USDT");
  await user.click(screen.getByText("ETH/USDT"));
  expect(records[3]?.querySelector("pre")?.textContent).toContain("figures_commitment");
});

describe("verification in the browser", () => {
  test("confirms an intact ledger, and compares it with what it saw before", async () => {
    await verify(openWith());
    await screen.findByText("Intact: 5 records");
    screen.getByText("1 won, 1 lost, 0 expired");
    cleanup();
    await verify(openWith(entries.slice(0, 4)));
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("Not intact: record 5");
  });

  test("names a record that was taken out", async () => {
    await verify(openWith(entries.toSpliced(3, 1)));
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("Not intact: record 4");
    expect(alert.textContent).toContain("the record is missing");
  });
});

describe("the witnesses", () => {
  const region = () => screen.findByRole("region", { name: "Witnesses" });

  test("are shown as missing if no witness has a head of the ledger", async () => {
    openWith(entries, { heads: [headOf("2025-01-31", [])], next_before: null });
    const witnesses = await region();
    await within(witnesses).findByText(
      "No witness has a fingerprint of this ledger, so only copies kept by others can show that it was rewritten.",
    );
    expect(within(witnesses).queryAllByRole("listitem")).toHaveLength(0);
  });

  test("each say what they prove, with the proof and the command", async () => {
    const git = { ...stamp("2025-01-31", null), kind: "git" as const, status: "complete" as const };
    const heads = [
      headOf("2025-02-01", [stamp("2025-02-01", null)]),
      headOf("2025-01-31", [
        { ...git, url: "https://example.com/heads.git", commit: "c0ffee1234" },
        stamp("2025-01-31", null),
        stamp("2025-01-31", 880_000),
      ]),
    ];
    openWith(entries, { heads, next_before: null });
    const witnesses = await region();
    await within(witnesses).findByText("Git repository");
    const titles = within(witnesses).getAllByRole("heading", { level: 3 });
    expect(titles.map(({ textContent }) => textContent)).toEqual([
      "OpenTimestamps",
      "Git repository",
      "Daily fingerprints",
    ]);
    const [newest, older] = within(witnesses).getAllByRole("listitem");
    if (!newest || !older) throw new Error("Two heads are not listed.");
    expect(newest.textContent).toContain("Waiting for Bitcoin");
    const download = /^Download proof/;
    within(newest).getByRole("link", { name: download });
    expect(older.textContent).toContain("Bitcoin block 880,000");
    expect(older.textContent).toContain("Commit c0ffee1");
    expect(older.textContent).toContain(
      `ots verify -d ${"ab".repeat(32)} ledger-head-2025-01-31.ots`,
    );
    expect(within(older).getByRole("link", { name: download }).getAttribute("href")).toBe(
      `${apiUrl}/ledger/heads/2025-01-31/ots`,
    );
    const repository = within(older).getByRole("link", { name: "Open the repository" });
    expect(repository.getAttribute("href")).toBe("https://example.com/heads.git");
  });
});

const candlesOf = (name: string, hours: number[]) => {
  const rows = hours.map((hour) => `${Date.UTC(2025, 0, 31, hour)},100,101,99,100,1`);
  const text = ["time,open,high,low,close,volume", ...rows].join("\n");
  // A file of jsdom cannot be read as text.
  return Object.assign(new File([text], name, { type: "text/csv" }), { text: async () => text });
};

test("a reader's candles resolve the outcomes again, and those that differ are named", async () => {
  openWith();
  const input = await screen.findByLabelText("Candle files");
  const choose = (...files: File[]) => fireEvent.change(input, { target: { files } });
  choose(candlesOf("prices.csv", [0]));
  await screen.findByText(
    "prices.csv can't be used. Name it like BTC-USDT.1h.csv, and use the columns listed above.",
  );
  choose(candlesOf("EUR-USD.1h.csv", [0, 1]));
  await screen.findByText((text) =>
    text.startsWith("These candles cover none of the resolved trades."),
  );
  choose(candlesOf("BTC-USDT.1h.csv", [0, 1]), candlesOf("BTC-USDT.30m.csv", [0]));
  await waitFor(() =>
    expect(screen.getByRole("alert").textContent).toContain("1 of 1 checked outcomes differ"),
  );
  expect(screen.getByRole("alert").textContent).toContain("Not checked: 1 without candles");
  screen.getByText("outcome: recorded WIN, resolved again none");
});
