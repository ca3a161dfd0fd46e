import { describe, expect, it } from "vitest";
import type { MessageText } from "../../describe-message.ts";
import { discordMessage, MAX_CONTENT_LENGTH } from "./discord-message.ts";

const message = (change: Partial<MessageText>): MessageText => ({
  subject: "BUY BTC/USDT 1h",
  path: "/signals/1",
  button: "Open the signal",
  ...change,
});
const contentOf = (change: Partial<MessageText>): string =>
  discordMessage(message(change), "https://app.example.com").content;

describe("a message to Discord", () => {
  it("has a heading, levels that are copied as they are, facts, reasons and a link", () => {
    const content = contentOf({
      levels: [["Entry", "113456.79"]],
      facts: [["Hold", "24 hours"]],
      points: [{ text: "The trend is up." }, { text: "WIN: ETH", path: "/signals/2" }],
    });
    expect(content).toBe(
      [
        "**BUY BTC/USDT 1h**",
        "Entry: `113456.79`",
        "Hold: 24 hours",
        "• The trend is up.",
        "• [WIN: ETH](<https://app.example.com/signals/2>)",
        "[Open the signal](<https://app.example.com/signals/1>)",
      ].join("\n"),
    );
  });

  it.each([
    ["@everyone", "@\u200beveryone"],
    ["<@&123456789>", "\\<@\u200b&123456789\\>"],
    ["[your bank](https://evil.example)", "\\[your bank\\]\\(https://evil.example\\)"],
    ["**a**_b_~c~`d`||e||", "\\*\\*a\\*\\*\\_b\\_\\~c\\~\\`d\\`\\|\\|e\\|\\|"],
    ["one\n# two", "one # two"],
    ["half an emoji \ud83d", "half an emoji \ufffd"],
  ])("shows what users and models write as it is: %j", (text, shown) => {
    expect(contentOf({ facts: [["Sender", text]] })).toContain(`\nSender: ${shown}\n`);
    expect(contentOf({ subject: text })).toMatch(/^\*\*/);
  });

  it("notifies no member and shows no previews of links", () => {
    expect(discordMessage(message({}), "https://app.example.com")).toMatchObject({
      allowed_mentions: { parse: [] },
      flags: 4,
    });
  });

  it.each([
    ["many reasons", { points: Array.from({ length: 100 }, () => ({ text: "_".repeat(300) })) }],
    ["a long subject", { subject: "*".repeat(5_000) }],
    ["a long text", { text: "@".repeat(5_000) }],
    [
      "many emoji",
      { facts: Array.from({ length: 30 }, () => ["x", "👩‍👩‍👧‍👦".repeat(200)] as const) },
    ],
  ])("has at most 2,000 characters and keeps its link, with %s", (_, change) => {
    const content = contentOf(change);
    expect(content.length).toBeLessThanOrEqual(MAX_CONTENT_LENGTH);
    expect(content).toMatch(/\n\[Open the signal\]\(<https:\/\/app\.example\.com\/signals\/1>\)$/);
    expect(content.isWellFormed()).toBe(true);
  });
});
