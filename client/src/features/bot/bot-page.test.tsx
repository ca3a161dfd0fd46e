import { MESSAGES, TIMEFRAMES } from "@shared/contract/constants.ts";
import { SYMBOL_SUGGESTIONS } from "@shared/contract/instruments.ts";
import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { makeHistoryItem, makeSignal, makeWatchlistItem } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openPart } from "../../testing/open-app.tsx";
import { BotPage } from "./bot-page.tsx";

type User = ReturnType<typeof openPart>["user"];

async function openBot(): Promise<User> {
  const { user } = openPart(<BotPage />, {}, "/bot");
  await screen.findByRole("button", { name: "Get Signal" });
  return user;
}

const symbolField = () => screen.getByRole<HTMLInputElement>("combobox", { name: "Symbol" });

async function fill(user: User, field: HTMLElement, text: string): Promise<void> {
  await user.clear(field);
  await user.paste(text);
}

const requestSignal = (user: User) =>
  user.click(screen.getByRole("button", { name: "Get Signal" }));

const result = () => document.querySelector<HTMLElement>("[data-signal]") ?? undefined;

test("the bot says from the start that it runs on demo data and rules, and takes the timeframe from a group of buttons", async () => {
  const user = await openBot();
  await screen.findByText("Demo data: recorded candles shifted to the present, not live prices.");
  screen.getByText("Rule-based analysis: fixed rules instead of an AI model.");
  const group = screen.getByRole("radiogroup", { name: "Timeframe" });
  const options = within(group).getAllByRole<HTMLInputElement>("radio");
  expect(options.map(({ value }) => value)).toEqual([...TIMEFRAMES]);
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "1h" }).checked).toBe(true);
  await user.click(screen.getByRole("radio", { name: "4h" }));
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "1h" }).checked).toBe(false);
});

test("while a signal is requested, the button is disabled and the card names the stage; then the box below the numbers is of that signal until the form names another market", async () => {
  const signal = makeSignal();
  api.reply("POST /get-signal", { signal_id: signal.signal_id, status: "queued" });
  api.reply(`GET /signals/${signal.signal_id}`, signal);
  const release = api.hold("POST /get-signal");
  const user = await openBot();
  screen.getByText("For your next signal");
  await requestSignal(user);
  const button = await screen.findByRole("button", { name: "Analyzing..." });
  expect(button.hasAttribute("disabled")).toBe(true);
  await screen.findByText("Sending the request");
  release();
  await waitFor(() => expect(result()?.dataset.signal).toBe("sell"));
  const again = screen.getByRole("button", { name: "Get Signal" });
  expect(again.hasAttribute("disabled")).toBe(false);

  await screen.findByText("For the SELL of BTC/USDT shown");
  const box = screen.getByText("Margin").closest("[role=status]");
  expect(box?.textContent).toContain("Size0.5 BTC");
  await fill(user, symbolField(), "ETH/USDT");
  await screen.findByText("For your next signal");
  expect(screen.queryByText("Margin")).toBeNull();
  expect(effect()).toBe("Risk at the stop$1.00Largest position$100.00");
  await fill(user, symbolField(), "BTC/USDT");
  await screen.findByText("For the SELL of BTC/USDT shown");
  await user.click(screen.getByRole("radio", { name: "4h" }));
  await screen.findByText("For your next signal");
});

describe("the symbol field", () => {
  const field = symbolField;
  const options = () => screen.queryAllByRole("option").map((option) => option.textContent);
  const active = () =>
    document.getElementById(field().getAttribute("aria-activedescendant") ?? "")?.textContent;

  test("suggests symbols by any part of their name, in small letters too, and says if it has none or no prices", async () => {
    api.fail("GET /markets", { status: 422 });
    const user = await openBot();
    await user.click(field());
    await waitFor(() => expect(options()).toEqual([...SYMBOL_SUGGESTIONS]));
    await screen.findByText("Prices are not available at the moment.");
    await user.clear(field());
    await user.type(field(), "usd/");
    await waitFor(() => expect(options()).toEqual(["USD/JPY"]));
    await user.clear(field());
    await user.type(field(), "xa");
    await waitFor(() => expect(options()).toEqual(["XAU/USD", "XAG/USD"]));
    await user.click(screen.getByRole("option", { name: "XAG/USD" }));
    expect(field().value).toBe("XAG/USD");
    expect(options()).toEqual([]);
    await user.clear(field());
    await user.type(field(), "link/usdt");
    await screen.findByText("Not in this list. You can request it nevertheless.");
  });

  test("lists the watched symbols first, and groups the others by class, with the prices that there are", async () => {
    const watched = makeWatchlistItem({ symbol: "WTI", timeframe: "1h" });
    const items = [watched, { ...watched, id: "2", timeframe: "4h" }];
    api.reply("GET /watchlist", { items, limit: 20, min_timeframe: "15m" });
    const quote = { price: 64_012.5, change_percent: -1.25, high: 65_000, low: 63_000 };
    const newest = { closes: [64_012.5], data: "replay", as_of: "2026-11-20T13:00:00.000Z" };
    const markets = [{ symbol: "BTC/USDT", ...quote, ...newest }];
    api.reply("GET /markets", { markets, updated_at: newest.as_of });
    const user = await openBot();
    await user.click(field());
    const group = await screen.findByRole("group", { name: "Watched" });
    expect(within(group).getByRole("option").textContent).toBe("WTI");
    expect(options()).toHaveLength(19);
    const crypto = await screen.findByRole("group", { name: "Crypto" });
    expect(within(crypto).getAllByRole("option")).toHaveLength(8);
    await screen.findByText(/^Prices at 20 Nov 2026/);
    const described = (name: string) =>
      document.getElementById(
        screen.getByRole("option", { name }).getAttribute("aria-describedby") ?? "",
      )?.textContent;
    expect(described("BTC/USDT")).toBe("Bitcoin64012.50000 −1.25%");
    expect(described("WTI")).toBe("Crude oil (WTI)");
  });

  test("is used with the keyboard alone", async () => {
    const user = await openBot();
    act(() => field().focus());
    await user.keyboard("{ArrowDown}");
    await waitFor(() => expect(active()).toBe("BTC/USDT"));
    expect(field().getAttribute("aria-expanded")).toBe("true");
    await user.keyboard("{End}");
    expect(active()).toBe("BRENT");
    await user.keyboard("{ArrowDown}");
    expect(active()).toBe("BTC/USDT");
    await user.keyboard("{ArrowUp}{ArrowUp}");
    expect(active()).toBe("WTI");
    await user.keyboard("{Escape}");
    expect(field().getAttribute("aria-expanded")).toBe("false");
    expect(field().value).toBe("BTC/USDT");
    await user.keyboard("{ArrowUp}{Home}{ArrowDown}{Enter}");
    expect(field().value).toBe("ETH/USDT");
    expect(api.bodiesOf("POST /get-signal")).toEqual([]);
  });
});

describe("a tab without a signal", () => {
  test("shows the account's last result, and can ask for another at once", async () => {
    const signal = makeSignal();
    const { signal_id: id } = signal;
    api.reply("GET /signal-history", { signals: [makeHistoryItem({ id })], next_cursor: null });
    api.reply(`GET /signals/${id}`, signal);
    const user = await openBot();
    await waitFor(() => expect(result()?.dataset.signal).toBe("sell"));
    expect(screen.queryByText("No signal yet")).toBeNull();
    const button = screen.getByRole("button", { name: "Get Signal" });
    expect(button.hasAttribute("disabled")).toBe(false);
    expect(screen.queryByText("Show its chart")).toBeNull();
    await user.click(screen.getByRole("radio", { name: "4h" }));
    await user.click(await screen.findByRole("button", { name: "Show its chart" }));
    expect(screen.getByRole<HTMLInputElement>("radio", { name: "1h" }).checked).toBe(true);
    const { query } = api.requests.find(({ route }) => route === "GET /signal-history") ?? {};
    expect(query?.get("limit")).toBe("1");
  });

  test("says so if the account has none either", async () => {
    api.reply("GET /signal-history", { signals: [], next_cursor: null });
    await openBot();
    await screen.findByText("No signal yet");
  });
});

const effect = () => screen.getByText("Risk at the stop").closest("dl")?.textContent;

test("numbers stay in their range and show at once what they mean", async () => {
  api.fail("POST /get-signal", { status: 422, detail: "Unknown symbol." });
  const user = await openBot();
  const standards = { "Amount (USD)": "100", "Risk (%)": "1", Leverage: "1" };
  for (const [name, standard] of Object.entries(standards)) {
    const field = screen.getByRole<HTMLInputElement>("textbox", { name });
    expect(field.value).toBe(standard);
    await user.clear(field);
    await user.tab();
    await waitFor(() => expect(field.value).toBe(standard));
  }
  const type = async (name: string, text: string) => {
    const field = screen.getByRole<HTMLInputElement>("textbox", { name });
    await user.clear(field);
    await user.type(field, text);
    return field;
  };
  expect(effect()).toBe("Risk at the stop$1.00Largest position$100.00");
  await type("Risk (%)", "2.5");
  const leverage = await type("Leverage", "10");
  expect(effect()).toBe("Risk at the stop$2.50Largest position$1,000.00");
  await type("Leverage", "0");
  await user.keyboard("{Enter}");
  await screen.findByText("Unknown symbol.");
  expect(JSON.parse(api.bodiesOf("POST /get-signal")[0] ?? "")).toMatchObject({
    amount: 100,
    risk_percent: 2.5,
    leverage: 1,
  });
  await user.tab();
  expect(leverage.value).toBe("1");
});

describe("a request that fails", () => {
  test("shows the server's reason for a refusal", async () => {
    api.fail("POST /get-signal", {
      status: 422,
      detail: "Unknown symbol NOPE/NOPE.",
      code: "invalid-input",
    });
    const user = await openBot();
    await fill(user, symbolField(), "NOPE/NOPE");
    await requestSignal(user);
    await screen.findByText("Unknown symbol NOPE/NOPE.");
    expect(result()).toBeUndefined();
    await fill(user, symbolField(), "BTC/USDT");
    await waitFor(() => expect(screen.queryByText("Request failed")).toBeNull());
  });

  test("on the server, or for want of a connection, ends as a WAIT with confidence 0 and the reason", async () => {
    const route = "POST /get-signal";
    api.fail(route, { status: 500, detail: "Out of order." });
    const user = await openBot();
    await requestSignal(user);
    await screen.findByText("Out of order.");
    screen.getByText(MESSAGES.failedSignal);
    expect(result()?.dataset.signal).toBe("wait");
    const confidence = within(result() ?? document.body).getByRole("progressbar");
    expect(confidence.getAttribute("aria-valuenow")).toBe("0");
    expect(confidence.dataset.level).toBe("low");

    const others = [
      [() => api.fail(route, { status: 500, detail: "" }), "Unknown error"],
      [() => api.drop(route), "The server cannot be reached. Check your connection and try again."],
    ] as const;
    for (const [fail, reason] of others) {
      fail();
      await requestSignal(user);
      await screen.findByText(reason);
      expect(result()?.dataset.signal).toBe("wait");
      screen.getByText(MESSAGES.failedSignal);
    }
  });

  test("by taking too long says so", async () => {
    api.fail("POST /get-signal", { status: 504 });
    const user = await openBot();
    await requestSignal(user);
    const alert = (await screen.findByText(MESSAGES.requestTimeout)).closest("[role=alert]");
    expect(alert?.textContent).toBe(
      `${MESSAGES.requestTimeout}If the signal is made after all, it appears here and in your history.`,
    );
    expect(result()).toBeUndefined();
    expect(screen.queryByText("No signal yet")).toBeNull();
    expect(screen.queryByText("Sending the request")).toBeNull();
    expect(screen.queryByText(/Still analyzing/)).toBeNull();
  });
});

describe("the field for a chart image", () => {
  const openWithImages = async (analyst: "rules" | "openai", credits: number) => {
    openPart(<BotPage />, { image_credits: credits, allow_image_upload: true });
    api.reply("GET /status", { market_data: "replay", analyst, version: "1.0.0" });
    await screen.findByLabelText("Chart image (optional)");
  };

  test("offers credits where a model reads images", async () => {
    await openWithImages("openai", 0);
    await screen.findByText(/^0 image credits left\. An analysis with an image uses 1\./);
    screen.getByRole("link", { name: "See plans and pricing" });
  });

  test("offers none where rules make the signals, and says so", async () => {
    await openWithImages("rules", 0);
    await screen.findByText(/Images are not read here: fixed rules make the signals/);
    expect(screen.queryByRole("link", { name: "See plans and pricing" })).toBeNull();
  });
});
