import { SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";
import { MESSAGES } from "@shared/contract/messages.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { makeSignal } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

type User = ReturnType<typeof openApp>["user"];

async function openBot(): Promise<User> {
  const { user } = openApp("/bot", {});
  await screen.findByRole("button", { name: "Get Signal" });
  return user;
}

async function requestSignal(user: User, symbol: string): Promise<void> {
  const field = screen.getByRole("combobox", { name: "Symbol" });
  await user.clear(field);
  await user.type(field, symbol);
  await user.tab();
  await user.click(screen.getByRole("button", { name: "Get Signal" }));
}

const result = () => document.querySelector<HTMLElement>("[data-signal]") ?? undefined;

test("the bot says from the start that it runs on demo data and rules", async () => {
  await openBot();
  await screen.findByText("Demo data: recorded candles shifted to the present, not live prices.");
  screen.getByText("Rule-based analysis: fixed rules instead of an AI model.");
});

test("while a signal is requested, the button is disabled and the card names the stage", async () => {
  const signal = makeSignal();
  api.reply("POST /get-signal", { signal_id: signal.signal_id, status: "queued" });
  api.reply(`GET /signals/${signal.signal_id}`, signal);
  const release = api.hold("POST /get-signal");
  const user = await openBot();
  await requestSignal(user, "BTC/USDT");
  const button = await screen.findByRole("button", { name: "Analyzing..." });
  expect(button.hasAttribute("disabled")).toBe(true);
  await screen.findByText("Sending the request");
  release();
  await waitFor(() => expect(result()?.dataset.signal).toBe("sell"));
  const again = screen.getByRole("button", { name: "Get Signal" });
  expect(again.hasAttribute("disabled")).toBe(false);
});

test("symbols are suggested by any part of their name, in small letters too", async () => {
  const user = await openBot();
  const symbol = screen.getByRole<HTMLInputElement>("combobox", { name: "Symbol" });
  const options = () => screen.queryAllByRole("option").map((option) => option.textContent);
  await user.click(symbol);
  await waitFor(() => expect(options()).toEqual([...SYMBOL_SUGGESTIONS]));
  expect(options()).toHaveLength(19);
  await user.clear(symbol);
  await user.type(symbol, "usd/");
  await waitFor(() => expect(options()).toEqual(["USD/JPY"]));
  await user.clear(symbol);
  await user.type(symbol, "xa");
  await waitFor(() => expect(options()).toEqual(["XAU/USD", "XAG/USD"]));
  await user.click(screen.getByRole("option", { name: "XAG/USD" }));
  await waitFor(() => expect(symbol.value).toBe("XAG/USD"));
});

test("a number that is left empty becomes its default, one out of range is refused", async () => {
  const user = await openBot();
  const fields = {
    "Amount (USD)": "100",
    "Risk (%)": "1",
    Leverage: "1",
  };
  for (const [name, standard] of Object.entries(fields)) {
    const field = screen.getByRole<HTMLInputElement>("textbox", { name });
    expect(field.value).toBe(standard);
    await user.clear(field);
    await user.tab();
    await waitFor(() => expect(field.value).toBe(standard));
  }
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "1h" }).checked).toBe(true);
  const leverage = screen.getByRole("textbox", { name: "Leverage" });
  await user.clear(leverage);
  await user.type(leverage, "0");
  await user.click(screen.getByRole("button", { name: "Get Signal" }));
  await screen.findByText("Enter a leverage from 1 to 125.");
  expect(api.bodiesOf("POST /get-signal")).toEqual([]);
});

describe("a request that fails", () => {
  test("shows the server's reason for a refusal", async () => {
    api.fail("POST /get-signal", {
      status: 422,
      detail: "Unknown symbol NOPE/NOPE.",
      code: "invalid-input",
    });
    const user = await openBot();
    await requestSignal(user, "NOPE/NOPE");
    await screen.findByText("Unknown symbol NOPE/NOPE.");
    expect(result()).toBeUndefined();
  });

  test.each([
    { detail: "Out of order.", reason: "Out of order." },
    { detail: "", reason: "Unknown error" },
  ])("on the server ends as a WAIT with confidence 0 and the reason '$reason'", async (failure) => {
    api.fail("POST /get-signal", { status: 500, detail: failure.detail });
    const user = await openBot();
    await requestSignal(user, "BTC/USDT");
    await screen.findByText(failure.reason);
    screen.getByText(MESSAGES.failedSignal);
    expect(result()?.dataset.signal).toBe("wait");
    const confidence = within(result() ?? document.body).getByRole("progressbar");
    expect(confidence.getAttribute("aria-valuenow")).toBe("0");
    expect(confidence.dataset.level).toBe("low");
  });

  test("by taking too long says so", async () => {
    api.fail("POST /get-signal", { status: 504 });
    const user = await openBot();
    await requestSignal(user, "BTC/USDT");
    await screen.findByText(MESSAGES.requestTimeout);
  });
});
