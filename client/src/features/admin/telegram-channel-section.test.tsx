import type { TelegramChannel } from "@shared/contract/telegram-channel.ts";
import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { ADMIN } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openPart } from "../../testing/open-app.tsx";
import { TelegramChannelSection } from "./telegram-channel-section.tsx";

const channel: TelegramChannel = {
  enabled: false,
  chat_id: "-1001",
  markets: [{ symbol: "BTC/USDT", timeframe: "1h" }],
  min_confidence: 60,
  state: "missing-rights",
  missing_rights: ["can_invite_users"],
  title: "Signals",
  members: 12,
  waiting: 1,
  linked: 5_000,
  direct_seconds: 167,
};

async function openSystem(shown: Partial<TelegramChannel> = {}) {
  api.reply("GET /admin/telegram-channel", () => ({ ...channel, ...shown }));
  const { user } = openPart(<TelegramChannelSection />, ADMIN, "/admin/system");
  const region = await screen.findByRole("region", { name: "Telegram channel" });
  return { user, section: within(region) };
}

test("it says what the bot lacks, who is in it, and that it is for many users", async () => {
  const { section } = await openSystem();
  await section.findByText("The bot lacks rights in the channel: invite users");
  section.getByText("Signals · 12 members, 1 waiting");
  section.getByText(/each of your 5,000 linked users takes 167 seconds/);
  expect(section.queryByRole("button", { name: "Post a test" })).toBeNull();
});

test("its settings are saved with one market a line, and a test is posted", async () => {
  const { user, section } = await openSystem({ state: "ready", missing_rights: [] });
  api.reply("PUT /admin/telegram-channel", channel);
  api.reply("POST /admin/telegram-channel/test", { detail: "The test message is posted." });
  await user.click(await section.findByRole("switch"));
  await user.type(section.getByRole("textbox", { name: "Markets" }), "\nETH/USDT 4h");
  await user.click(section.getByRole("button", { name: "Save channel" }));
  await screen.findByText("The Telegram channel is saved.");
  expect(JSON.parse(api.bodiesOf("PUT /admin/telegram-channel").at(-1) ?? "")).toEqual({
    enabled: true,
    chat_id: "-1001",
    markets: [
      { symbol: "BTC/USDT", timeframe: "1h" },
      { symbol: "ETH/USDT", timeframe: "4h" },
    ],
    min_confidence: 60,
  });
  await user.click(section.getByRole("button", { name: "Post a test" }));
  await screen.findByText("The test message is posted.");
});
