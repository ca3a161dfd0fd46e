import { randomCases } from "@shared/testing/random-cases.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText } from "./plain-text.ts";

const LINK = "[link removed]";

describe("the text of a model", () => {
  it.each([
    "Price at 64,250.50 (4.5% above the EMA 50), R:R 2.5:1.",
    "E.g. the U.S. session, i.e. 9 a.m. to 5 p.m. vs. London.",
    "BTC/USDT, EUR/USD and XAU/USD; buy/sell, and/or 24/7.",
    "Version 1.2.3, a 0.618.5 retracement, BRK.B, BTC.D, BTCUSDT.P, Node.js.",
    "First line\nsecond line: \"quoted\" <b>bold</b> & 'more' …",
    "Entry @ 64,250 or buy@64250, ratio 1:2, time 12:30, note:ranging.",
    "3.14 > 2.71... Wait, then look. #BTC $ETH +1.98 R -0.5%",
    "RSI(14)=55.2; MACD[-20.9,-2.7]; ATR*1.5; 50/50; 1.5/2.0",
    "السعر فوق المتوسط، والاتجاه صاعد (٤٫٥٪).",
    "המחיר מעל הממוצע, והמגמה עולה. יעד: 64,250.",
    "می‌شود و نمی‌تواند", // Persian with joiners
    "क्‍ष और क्‌ष",
    "Цена выше средней, т.е. тренд растёт. 価格は上昇。次は68,000。",
    "👩🏽‍💻 👨‍👩‍👧 ❤️ 1️⃣ résumé",
  ])("stays as it is: %j", (text) => {
    expect(plainText(text)).toBe(text);
  });

  it.each([
    ["See https://evil.example/x?y=1.", `See ${LINK}.`],
    ["(http://1.2.3.4:80/a) next", `(${LINK}) next`],
    ["HTTPS://EVIL.EXAMPLE", LINK],
    ["tg://resolve?domain=evil and ftp://a.b/c", `${LINK} and ${LINK}`],
    ["javascript:alert(1)", `${LINK})`],
    ["mailto:a@evil.example now", `${LINK} now`],
    ["tel:+123456 now", `${LINK} now`],
    ["data:text/html,<script>", `${LINK}>`],
    ["www.evil.example/path here", `${LINK} here`],
    ["Join t.me/evil, or evil.com!", `Join ${LINK}, or ${LINK}!`],
    ["discord.gg/abc bit.ly/x login.evil.co.uk:8443/a", `${LINK} ${LINK} ${LINK}`],
    ["bücher.de пример.рф 例子.中国 xn--e1afmkfd.xn--p1ai", `${LINK} ${LINK} ${LINK} ${LINK}`],
    ["0.5/evil.com evil。com evil．com ｅｖｉｌ.ｃｏｍ", `0.5/${LINK} ${LINK} ${LINK} ${LINK}`],
    ["write to support@evil.com now", `write to ${LINK} now`],
    ["a.b+c@evil.example", LINK],
    ["8.8.8.8 and 10.0.0.1:8080/x", `${LINK} and ${LINK}`],
    ["\\\\evil.example\\share here", `${LINK} here`],
    ["[click](https://evil.example)", `[click](${LINK})`],
    ["<a href='https://evil.example'>x</a>", `<a href='${LINK}>`],
    ["Trend is up.It holds. SAP.DE and EVIL.COM", "Trend is up. It holds. SAP. DE and EVIL. COM"],
    ["ask @support_desk or @everyone, send /stop", "ask support_desk or everyone, send / stop"],
  ])("has no addresses that become links: %j", (text, expected) => {
    expect(plainText(text)).toBe(expected);
  });

  it.each([
    ["a bell and an escape", "up\u0007 \u001b[31mred\u0000\u007f\u009b", "up [31mred"],
    ["other ends of lines", "one\r\ntwo\rthree\u2028four\u0085five", "one\ntwo\nthree\nfour\nfive"],
    ["a tab", "a\tb", "a b"],
    ["overrides of direction", "\u202eYUB\u202c \u2066a\u2069 \u200fb\u061c", "YUB a b"],
    [
      "what has no width",
      "B\u200bU\ufeffY\u2060 s\u00adell \u{e0041}\u{e0042}x\u3164",
      "BUY sell x",
    ],
    ["joiners of Latin letters", "S\u200cE\u200dLL 6\u200d4", "SELL 64"],
    ["half a character", "up \ud83d here", "up \ufffd here"],
    [
      "addresses with invisible parts",
      "ev\u200bil\u00ad.\u2060com ht\u0000tps://evil.example",
      `${LINK} ${LINK}`,
    ],
  ])("has no characters that hide something: %s", (_, text, expected) => {
    expect(plainText(text)).toBe(expected);
  });

  it("is the same after a second look, whatever it was", () => {
    const part = fc.constantFrom(
      "https://",
      "evil",
      ".com",
      ".",
      "@",
      "/",
      "www",
      "\u202e",
      "\u200d",
      " ",
      "It",
      ":",
      "1",
      "\\\\",
      "[link removed]",
    );
    const texts = fc.array(fc.oneof(part, fc.string({ unit: "grapheme", maxLength: 4 })), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(texts, (parts) => {
        const once = plainText(parts.join(""));
        expect(plainText(once)).toBe(once);
        expect(once.replaceAll("\n", "")).not.toMatch(
          /[\u200b\p{Cc}]|\p{L}:\/\/|(?<![\p{L}\p{Nd}\p{M}_])www\.\w|[a-z\d]\.com(?![\p{L}\p{Nd}\p{M}])/iu,
        );
      }),
      {
        ...randomCases(3_000),
        examples: [[["\u0606", "\u200d", "\ufb50", "https://"]], [["It.com-À"]]],
      },
    );
  });

  it("is read in time, however it was made", () => {
    const startedMs = performance.now();
    for (const unit of ["a.", "a", "a@", "://", "a-", "www.", "1.", "@a.", "\\\\", ".com"]) {
      plainText(unit.repeat(50_000 / unit.length));
    }
    plainText(`https://${".,".repeat(25_000)}x`);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });
});
