import type { EvidenceItem } from "@shared/contract/evidence.ts";
import { screen } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { makeSignal } from "../../../testing/factories.ts";
import { api } from "../../../testing/fake-api.ts";
import { openApp } from "../../../testing/open-app.tsx";

const signal = makeSignal();
const { signal_id: id, symbol, timeframe } = signal;
const known_at = "2026-11-20T12:00:00.000Z";
const items: EvidenceItem[] = [
  { key: "market", text: "Last close: 113456.70", known_at, source: "binance" },
  { key: "events", text: "Scheduled events: not available", known_at, source: "none" },
];

beforeEach(() => {
  const market = { signal_id: id, symbol, timeframe };
  api.reply("GET /economic-events", { events: [] });
  api.reply(`GET /signals/${id}`, signal);
  api.reply(`GET /signals/${id}/candles`, { ...market, candles: [] });
  api.reply(`GET /signals/${id}/since`, {
    ...market,
    judgement: null,
    candles: [],
    shared_at: null,
  });
});

const open = async () => {
  const { user } = openApp(`/signals/${id}`, {});
  await user.click(await screen.findByText("What the analyst was given"));
  return user;
};

test("what the analyst was given is read when a trader opens it", async () => {
  api.reply(`GET /signals/${id}/evidence`, { analysis_id: id, items });
  await open();
  await screen.findByText("Last close: 113456.70");
  screen.getByText("Scheduled events: not available");
  screen.getByText("No source answered");
});

test("what the analyst was given of a chart image stands at the end", async () => {
  const chart_image = "Horizontal lines that the trader drew: 113000.00";
  api.reply(`GET /signals/${id}/evidence`, { analysis_id: id, items, chart_image });
  await open();
  await screen.findByText(chart_image);
  screen.getByText("Read from your chart image");
  screen.getByText(/Apart from your chart image, nothing of it became known after/);
});

test("a signal without evidence says so", async () => {
  api.reply(`GET /signals/${id}/evidence`, { analysis_id: id, items: [] });
  await open();
  await screen.findByText(/^Nothing is stored/);
});

test("evidence that cannot be loaded can be asked for again", async () => {
  api.fail(`GET /signals/${id}/evidence`, { status: 404 });
  const user = await open();
  await screen.findByText("We couldn't load the evidence.");
  api.reply(`GET /signals/${id}/evidence`, { analysis_id: id, items });
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText("Last close: 113456.70");
});

test("the next events of high impact stand in the card while its entry is open", async () => {
  const event = { title: "Core CPI m/m", currency: "USD", at: "2026-11-27T13:30:00.000Z" };
  const events = [
    { ...event, impact: "High" },
    { ...event, title: "Crude Oil Inventories", impact: "Low" },
  ];
  api.reply("GET /economic-events", { events });
  const valid_until = new Date(Date.now() + 3_600_000).toISOString();
  const { analysis } = signal;
  api.reply(`GET /signals/${id}`, { ...signal, analysis: { ...analysis, valid_until } });
  openApp(`/signals/${id}`, {});
  await screen.findByText(/13:30 UTC Core CPI m\/m \(USD\)$/);
  expect(screen.queryByText(/Crude Oil/)).toBeNull();
});
