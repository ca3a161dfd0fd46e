import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router-dom";
import { expect, test } from "vitest";
import { RecordPanel, type RecordPanelProps } from "./analyst-record.tsx";

const loaded: RecordPanelProps = {
  query: { data: "replay", analyst: "rules", period: "all" },
  isCalibrated: false,
  facts: [],
  isError: false,
};

const panel = (changes: Partial<RecordPanelProps>) =>
  renderToStaticMarkup(
    <MemoryRouter>
      <RecordPanel {...loaded} {...changes} />
    </MemoryRouter>,
  );

interface Case {
  name: string;
  changes: Partial<RecordPanelProps>;
  text: string;
}

const cases: Case[] = [
  {
    name: "facts",
    changes: { facts: [{ trades: "All trades", text: "stated 62%, won 32% of 214" }] },
    text: "stated 62%, won 32% of 214",
  },
  {
    name: "no trades yet",
    changes: {},
    text: "No record yet. This analyst version has no won or lost trades, so neither its confidence nor an edge over chance has been measured.",
  },
  {
    name: "a failure",
    changes: { facts: undefined, isError: true },
    text: "The record is unavailable.",
  },
  {
    name: "nothing yet",
    changes: { facts: undefined },
    text: 'aria-label="Loading the record"',
  },
];

test.each(cases)("a record with $name says so", ({ changes, text }) => {
  expect(panel(changes)).toContain(text);
});

test("demo data and live data are named", () => {
  expect(panel({})).toContain("Record of this analyst version, demo data");
  expect(panel({ query: { data: "live", period: "all" } })).toContain(
    "Record of this analyst version, live data",
  );
  expect(panel({ query: { data: "live", period: "all" } })).not.toContain("demo data");
});

test("has the same box in every state, so that nothing below it moves", () => {
  const box = /<section [^>]*class="([^"]*)"/;
  const states = [{ facts: undefined }, { facts: undefined, isError: true }, {}];
  const [loading, ...others] = states.map((state) => box.exec(panel(state))?.[1]);
  expect(loading).toMatch(/min-h-/);
  expect(others).toEqual([loading, loading]);
});
