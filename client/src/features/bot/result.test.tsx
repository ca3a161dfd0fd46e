import type { Performance } from "@shared/contract/performance.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import { around, noRates, record } from "@shared/testing/performance-record.ts";
import { act, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { formatDateTime } from "../../lib/format.ts";
import { useSession } from "../../lib/session.ts";
import { makeSignal } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp, openPart } from "../../testing/open-app.tsx";
import { BotPage } from "./bot-page.tsx";
import { track } from "./bot-store.ts";
import { ResultArea } from "./components/result-area.tsx";

/** A record without an edge: 214 of its trades stated 60–70%, and 68 of them won. */
const noEdge: Performance = {
  ...record,
  lift: around(-0.03, 0.04),
  edge_bounds: { low: -0.08, high: 0.02 },
  confidence: {
    ...record.confidence,
    decided: 300,
    brier: 0.31,
    ece: 0.28,
    buckets: [
      { from: 60, to: 70, decided: 214, wins: 68, stated: 0.62, won: 0.318, ...noRates },
      { from: 70, to: 80, decided: 86, wins: 30, stated: 0.74, won: 0.349, ...noRates },
    ],
  },
};
const NO_EDGE =
  "Not shown to be better than chance after costs: an edge of −3.0 percentage points (−8.0 to +2.0 however often one looks; break-even at +1.1).";

/** Opens the answer of the bot on a signal of this analysis, and waits for its card. */
async function openResult(analysis: Partial<Analysis> = {}, page = <ResultArea />) {
  const signal = makeSignal(analysis);
  const { signal_id: id, symbol, timeframe } = signal;
  api.reply(`GET /signals/${id}`, signal);
  const app = openPart(page, {}, "/bot");
  act(() => track({ id, symbol, timeframe, requestedAt: Date.now(), withImage: false }));
  const card = await waitFor(() => {
    const found = document.querySelector<HTMLElement>("[data-signal]");
    if (!found) throw new Error("The signal is not shown yet.");
    return found;
  });
  return { ...app, card };
}

const recordPanel = () =>
  screen.findByRole("region", { name: "Record of this analyst version, demo data" });

describe("the confidence of a signal", () => {
  test("is called stated, and the measured record of its analyst stands beside it", async () => {
    api.reply("GET /performance", noEdge);
    const { card, user, address } = await openResult();
    const confidence = within(card).getByRole("progressbar");
    expect(confidence.getAttribute("aria-valuenow")).toBe("62");
    expect(confidence.dataset.level).toBe("medium");
    expect(confidence.textContent).toContain("62%");
    expect(confidence.textContent).toContain("stated confidence, not yet calibrated");
    const chance = await screen.findByRole("region", { name: "Chance" });
    const sentence = "About 32 in 100 such trades reached the target first.";
    await waitFor(() => expect(chance.textContent).toBe(`32%${sentence}`));
    const panel = await recordPanel();
    await within(panel).findByText("Trades at 60–70%, on average");
    within(panel).getByText("stated 62%, won 32% of 214");
    within(panel).getByText(NO_EDGE);
    const { query } = api.requests.find(({ route }) => route === "GET /performance") ?? {};
    expect(Object.fromEntries(query ?? [])).toEqual({
      data: "replay",
      analyst: "rules",
      version: "rules/1",
      model: "rules",
    });
    await user.click(within(panel).getByRole("link", { name: "Details" }));
    await waitFor(() =>
      expect(address()).toBe(
        "/performance?data=replay&analyst=rules&version=rules%2F1&model=rules",
      ),
    );
  });

  test("keeps its rating when it is calibrated, and the missing edge is still stated", async () => {
    api.reply("GET /performance", noEdge);
    const { card } = await openResult({ calibrated_confidence: 31.5 });
    await within(await recordPanel()).findByText(NO_EDGE);
    expect(card.textContent).toContain("Calibrated: 31.5%");
    expect(card.textContent).not.toContain("not yet calibrated");
    expect(card.textContent).not.toContain("won 32%");
  });

  test("stands beside a record that is worse than chance, which is called that", async () => {
    api.reply("GET /performance", {
      ...noEdge,
      lift: around(-0.06, 0.02),
      edge_bounds: { low: -0.09, high: -0.03 },
    });
    await openResult();
    await within(await recordPanel()).findByText(/Worse than chance: an edge of −6\.0/);
  });

  test("of a version without resolved trades has no record yet", async () => {
    api.reply("GET /performance", { ...noEdge, confidence: { ...noEdge.confidence, decided: 0 } });
    const { card } = await openResult();
    await within(await recordPanel()).findByText(/^No record yet/);
    expect(card.textContent).toContain("stated confidence, not yet calibrated");
  });

  test("of a WAIT, which has no outcome, is compared with no record", async () => {
    const noLevels = { entry: null, stop_loss: null, take_profit: null };
    const { card } = await openResult({ final_signal: "WAIT", ...noLevels });
    const confidence = within(card).getByRole("progressbar");
    expect(confidence.textContent).toContain("stated confidence");
    expect(card.textContent).not.toContain("calibrated");
    expect(screen.queryByRole("region", { name: /^Record of this analyst/ })).toBeNull();
  });

  test("stays when the record cannot be loaded", async () => {
    const { card } = await openResult();
    await within(await recordPanel()).findByText("The record is unavailable.");
    expect(card.textContent).toContain("not yet calibrated");
    expect(card.textContent).toContain("Stop loss");
  });
});

test("a signal that its analyst works on shows that stage, and its result once it is there", async () => {
  const signal = makeSignal();
  const { signal_id: id, symbol, timeframe } = signal;
  api.reply(`GET /signals/${id}`, { ...signal, status: "running", analysis: null });
  openPart(<ResultArea />, {}, "/bot");
  act(() => track({ id, symbol, timeframe, requestedAt: Date.now(), withImage: false }));
  const stage = await screen.findByText("Analyzing candles");
  await waitFor(() => expect(stage.getAttribute("aria-current")).toBe("step"));
  api.reply(`GET /signals/${id}`, signal);
  await screen.findByText("momentum is falling");
});

describe("the validity of a signal", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("counts down to its end, and is expired then", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-05-04T10:00:00.000Z") });
    const valid_until = "2026-05-04T12:00:10.000Z";
    const { card } = await openResult({
      valid_until,
      delivery_delay_ms: 65_000,
      calibrated_confidence: 57.5,
    });
    const time = within(card).getByText(formatDateTime(valid_until));
    expect(time.dataset.utc).toBe("4 May 2026, 12:00 UTC");
    expect(time.tabIndex).toBe(0);
    expect(time.parentElement?.textContent).toContain("Valid until");
    expect(within(card).getByRole("timer").textContent).toBe("2 h 00 min left");
    expect(card.textContent).toContain("Calibrated: 57.5%");
    expect(card.textContent).toContain("Ready 1 min 05 s after candle close");
    vi.setSystemTime(valid_until);
    await within(card).findByText("Expired");
    expect(card.textContent).toContain("The entry was valid until");
    expect(within(card).queryByRole("timer")).toBeNull();
  });
});

test("a rationale by topic is a list of its topics", async () => {
  const raw_ai = {
    confidence: 62,
    rationale: { trend: "falling", momentum: "weak" },
    key_evidence: [],
    market_condition: "Quiet",
    what_to_watch_for: [],
  };
  const { card } = await openResult({ raw_ai });
  const items = within(card).getAllByRole("listitem");
  expect(items.map((item) => item.textContent)).toEqual(
    expect.arrayContaining(["Trend: falling", "Momentum: weak"]),
  );
});

test("a signal that does not exist says so on its page", async () => {
  openApp("/signals/0123456789abcdef01234567", {});
  expect((await screen.findByRole("alert")).textContent).toContain(
    "This signal does not exist or was deleted.",
  );
});

test("the page of a signal has the card of the bot, with size, risk and margin", async () => {
  const signal = makeSignal();
  const { signal_id: id, symbol, timeframe } = signal;
  api.reply(`GET /signals/${id}`, signal);
  api.reply(`GET /signals/${id}/candles`, { signal_id: id, symbol, timeframe, candles: [] });
  const progress = { judgement: null, candles: [], shared_at: null };
  api.reply(`GET /signals/${id}/since`, { signal_id: id, symbol, timeframe, ...progress });
  openApp(`/signals/${id}`, {});
  const position = await screen.findByText("Position size");
  const card = position.closest<HTMLElement>("[data-signal]");
  expect(card?.querySelector("h1")?.textContent).toBe("BTC/USDT 1h");
  expect(position.closest("dl")?.textContent).toBe(
    "Position size0.5 BTCDollar risk$1.00Required margin$50.00",
  );
});

describe("the link of a signal", () => {
  const sharePath = `/signals/${makeSignal().signal_id}/share`;
  const sent = () => api.bodiesOf(`DELETE ${sharePath}`).length;

  async function openShared() {
    const { signal_id: id, symbol, timeframe, ...signal } = makeSignal();
    api.reply(`GET /signals/${id}`, { signal_id: id, symbol, timeframe, ...signal });
    api.reply(`GET /signals/${id}/candles`, { signal_id: id, symbol, timeframe, candles: [] });
    const progress = { signal_id: id, symbol, timeframe, judgement: null, candles: [] };
    const since = `GET /signals/${id}/since`;
    api.reply(since, { ...progress, shared_at: "2026-11-20T12:00:00.000Z" });
    api.reply(`DELETE ${sharePath}`, () => {
      api.reply(since, { ...progress, shared_at: null });
      return { detail: "The link no longer works." };
    });
    const app = openApp(`/signals/${id}`, {});
    await app.user.click(await screen.findByRole("button", { name: "Stop sharing" }));
    expect(screen.queryByText(/^Shared since/)).toBeNull();
    return { ...app, undo: await screen.findByRole("button", { name: "Undo" }) };
  }

  test("works again if its end is undone", async () => {
    const { user, undo } = await openShared();
    await user.click(undo);
    await screen.findByRole("button", { name: "Stop sharing" });
    window.dispatchEvent(new Event("pagehide"));
    expect(sent()).toBe(0);
  });

  test("ends once its owner has left the page", async () => {
    const { undo } = await openShared();
    act(() => void window.dispatchEvent(new Event("pagehide")));
    await waitFor(() => expect(sent()).toBe(1));
    await waitFor(() => expect(undo.isConnected).toBe(false));
    await screen.findByRole("button", { name: "Create link" });
  });

  test("ends when its owner logs out", async () => {
    await openShared();
    act(() => useSession.getState().signOut("logged-out"));
    await waitFor(() => expect(sent()).toBe(1));
  });

  test("is shown again if it could not be ended", async () => {
    const { user } = await openShared();
    api.fail(`DELETE ${sharePath}`, { status: 500, detail: "Out of order." });
    await user.click(screen.getByRole("button", { name: "Dismiss" }));
    await screen.findByText("The link could not be updated. Please try again.");
    await screen.findByText(/^Shared since/);
  });
});

test("all warnings of an analysis are shown, whatever the banner of the page says", async () => {
  const warnings = [
    "Demo data: made from recorded candles.",
    "Rule-based analysis: no AI model was used.",
    "Event: US CPI (USD) at 12:30 UTC.",
    "Low confidence: the model stated 40%.",
  ];
  const { card } = await openResult({ warnings }, <BotPage />);
  await screen.findByText("Demo mode");
  for (const warning of warnings) within(card).getByText(warning);
});
