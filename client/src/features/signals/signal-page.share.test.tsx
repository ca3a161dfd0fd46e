import { screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { makeSignal } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

afterEach(() => {
  Reflect.deleteProperty(navigator, "share");
});

async function createLink() {
  const signal = makeSignal();
  const { signal_id: id, symbol, timeframe } = signal;
  const market = { signal_id: id, symbol, timeframe };
  api.reply(`GET /signals/${id}`, signal);
  api.reply(`GET /signals/${id}/candles`, { ...market, candles: [] });
  const progress = { ...market, judgement: null, candles: [], shared_at: null };
  api.reply(`GET /signals/${id}/since`, progress);
  const shared_at = "2026-11-20T12:00:00.000Z";
  api.reply(`POST /signals/${id}/share`, { token: "token-9", shared_at });
  const { user } = openApp(`/signals/${id}`, { approved: true });
  await user.click(await screen.findByRole("button", { name: "Create link" }));
  await screen.findByLabelText("Link to this signal");
  return user;
}

test("a phone hands the link of a signal to another app", async () => {
  const share = vi.fn(() => Promise.resolve());
  Object.assign(navigator, { share });
  const user = await createLink();
  await user.click(screen.getByRole("button", { name: "Send" }));
  const url = `${location.origin}/shared/token-9`;
  await waitFor(() => expect(share).toHaveBeenCalledWith({ url }));
});

test("where a device has no way to, the link is copied only", async () => {
  await createLink();
  screen.getByRole("button", { name: /^Copy/ });
  expect(screen.queryByRole("button", { name: "Send" })).toBeNull();
});
