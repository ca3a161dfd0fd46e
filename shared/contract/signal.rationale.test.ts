import type { Rationale } from "@shared/contract/signal.ts";
import { expect, test } from "vitest";
import { rationaleContent, rationaleText } from "./signal.ts";

interface Case {
  what: string;
  rationale: Rationale;
  content: string | string[];
}

const cases: Case[] = [
  { what: "a text", rationale: "Trend is up.", content: "Trend is up." },
  {
    what: "texts by topic",
    rationale: { trend: "up", market_structure: "higher lows" },
    content: ["Trend: up", "Market structure: higher lows"],
  },
  { what: "a list", rationale: ["Trend is up.", 42], content: ["Trend is up.", "42"] },
  {
    what: "nested topics",
    rationale: {
      keyLevels: { support: 100, resistance: null },
      risks: ["events", "gap"],
      note: " ",
    },
    content: ["Key levels: Support: 100", "Risks: events; gap"],
  },
  { what: "an empty object", rationale: {}, content: [] },
];

test.each(cases)("a rationale that is $what is shown in full", ({ rationale, content }) => {
  expect(rationaleContent(rationale)).toEqual(content);
});

test("in a file, each topic is a line", () => {
  expect(rationaleText({ trend: "up", risk: "events" })).toBe("Trend: up\nRisk: events");
});
