import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillTemplate, problemOfTemplate, type TemplateValues } from "./webhook-template.ts";

const VALUES: TemplateValues = {
  symbol: "BTC/USDT",
  side: "BUY",
  entry: 107357.1,
  stop_loss: 106000,
  take_profit: 110000.5,
  confidence: 72.5,
  timeframe: "1h",
  id: "65f0c0ffee0c0ffee0c0ffee",
};

describe("a template of a webhook", () => {
  it("is filled in inside and outside of texts", () => {
    const template =
      '{"text": "{{side}} {{symbol}} at {{entry}}", "symbol": {{symbol}}, "entry": {{ entry }}, "deep": [{"a":{{confidence}}}]}';
    expect(problemOfTemplate(template)).toBeNull();
    expect(JSON.parse(fillTemplate(template, VALUES))).toEqual({
      text: "BUY BTC/USDT at 107357.1",
      symbol: "BTC/USDT",
      entry: 107357.1,
      deep: [{ a: 72.5 }],
    });
  });

  it("stays JSON with the same texts, whatever a value contains", () => {
    const template = '{"a":"x {{symbol}}\\" {{id}} y","b":{{symbol}},"c":"\\\\{{symbol}}"}';
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (symbol, id) => {
        const filled = fillTemplate(template, { ...VALUES, symbol, id });
        const expected = { a: `x ${symbol}" ${id} y`, b: symbol, c: `\\${symbol}` };
        expect(JSON.parse(filled)).toEqual(expected);
      }),
    );
  });

  it.each([
    ['quotes " and \\', 'quotes " and \\'],
    ["lines\nand\ttabs", "lines\nand\ttabs"],
    ["an emoji 🚀 and {{id}}", "an emoji 🚀 and {{id}}"],
    ["$& $1 $`", "$& $1 $`"],
  ])("writes %j as it is", (symbol, expected) => {
    const filled = fillTemplate('{"symbol":"{{symbol}}"}', { ...VALUES, symbol });
    expect(JSON.parse(filled)).toEqual({ symbol: expected });
  });

  it.each([
    ["not json", /no JSON/],
    ['{"a": {{symbol}}', /no JSON/],
    ['{"a": {{side}}{{side}}}', /no JSON/],
    ['{"a": "{{amount}}"}', /\{\{amount\}\} is no field/],
    ["", /no JSON/],
  ])("is refused if it is %j", (template, problem) => {
    expect(problemOfTemplate(template)).toMatch(problem);
  });
});
