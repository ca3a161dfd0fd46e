import type { ChannelTotals } from "@shared/contract/channels.ts";
import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { ADMIN } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

const none = { delivered: 0, retrying: 0, failed: 0, suppressed: 0 };
const totals: ChannelTotals = {
  paused: false,
  totals: [
    { kind: "telegram", channels: 12, enabled: 10, ...none, delivered: 340, failed: 2 },
    { kind: "webhook", channels: 1, enabled: 1, ...none, retrying: 1 },
  ],
  failing: [
    {
      channel_id: "c1",
      username: "ann",
      kind: "webhook",
      label: "hooks.example.com",
      since: "2026-11-20T12:00:00.000Z",
      attempts: 3,
      response_status: 500,
      error: null,
      next_attempt_at: "2026-11-20T12:35:00.000Z",
    },
  ],
};

async function openSystem(shown: () => ChannelTotals = () => totals) {
  api.reply("GET /admin/channels", shown);
  const { user } = openApp("/admin/system", ADMIN);
  return { user, section: within(await screen.findByRole("region", { name: "Channels" })) };
}

test("totals and failing receivers are shown; the administrator's own channels are linked", async () => {
  const { section } = await openSystem();
  const rows = await section.findAllByRole("row");
  expect(rows.map((row) => row.textContent)).toEqual([
    "ChannelIn useDeliveredRetryingFailedNot sent",
    "Telegram10 of 12340020",
    "Webhook10100",
  ]);
  expect(section.getByRole("listitem").textContent).toMatch(
    /^hooks\.example\.com \(Webhook\) of annResponse 500 since .*, 3 attemptsNext attempt/,
  );
  const link = section.getByRole("link", { name: "Get new proofs on your phone" });
  expect(link.getAttribute("href")).toBe("/user-panel#notifications");
});

test("deliveries are paused after a question, and resumed from the banner", async () => {
  let paused = false;
  const { user, section } = await openSystem(() => ({ ...totals, paused }));
  api.reply("POST /admin/channels/pause", () => {
    paused = true;
    return { detail: "All deliveries are paused." };
  });
  api.reply("POST /admin/channels/resume", () => {
    paused = false;
    return { detail: "Deliveries are resumed." };
  });
  await user.click(await section.findByRole("button", { name: "Pause all" }));
  const dialog = await screen.findByRole("alertdialog");
  await user.click(within(dialog).getByRole("button", { name: "Pause all" }));
  await user.click(await section.findByRole("button", { name: "Resume" }));
  await section.findByRole("button", { name: "Pause all" });
  expect(section.queryByRole("button", { name: "Resume" })).toBeNull();
});
