import { brandWith } from "@shared/runtime/compose-email.ts";
import { describe, expect, it } from "vitest";
import { telegramText } from "./telegram-text.ts";

const ORIGIN = "https://app.example.com";
const PAGE = { path: "/signals/1", button: "Open the signal" };
const textOf = (message: Omit<Parameters<typeof telegramText>[0], "path" | "button">) =>
  telegramText({ ...message, ...PAGE }, ORIGIN).text;
const OPEN = `<a href="${ORIGIN}/signals/1">Open the signal</a>`;

describe("a message in Telegram", () => {
  it("has levels to copy, facts, reasons and a link", () => {
    const message = {
      subject: "BUY BTC/USDT 1h, 72% confidence",
      text: "Do not enter late.",
      levels: [["Entry", "113456.79"]],
      facts: [["Hold", "12 candles"]],
      points: [{ text: "Higher lows" }],
    } as const;
    expect(textOf(message).split("\n")).toEqual([
      "<b>BUY BTC/USDT 1h, 72% confidence</b>",
      "Do not enter late.",
      "Entry: <code>113456.79</code>",
      "Hold: 12 candles",
      "• Higher lows",
      OPEN,
    ]);
  });

  it("ends with the name that the operator has given the product, escaped", () => {
    const brand = brandWith({ name: "Nord & Wind", isOwnName: true });
    const { text } = telegramText({ subject: "Hello", ...PAGE }, ORIGIN, brand);
    expect(text.split("\n").at(-1)).toBe(`${OPEN} · Nord &amp; Wind`);
  });

  it("links each message of a summary", () => {
    const points = [{ text: "WIN: BUY BTC/USDT 1h", path: "/signals/2" }];
    expect(textOf({ subject: "1 message from your quiet hours", points }).split("\n")).toEqual([
      "<b>1 message from your quiet hours</b>",
      `• <a href="${ORIGIN}/signals/2">WIN: BUY BTC/USDT 1h</a>`,
      OPEN,
    ]);
  });

  it("escapes what users and models write, and fits the length that Telegram permits", () => {
    const points = Array.from({ length: 30 }, () => ({ text: `<b>"&'</b>${"x".repeat(1_000)}` }));
    const text = textOf({ subject: "BUY <I>&", facts: [["Sender", "A & B"]], points });
    expect(text).toContain("<b>BUY &lt;I&gt;&amp;</b>");
    expect(text).toContain("• &lt;b&gt;&quot;&amp;&#39;&lt;/b&gt;xxx");
    expect(text).toContain("Sender: A &amp; B");
    expect(text.length).toBeLessThan(4_096);
  });
});
