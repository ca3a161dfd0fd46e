import { describe, expect, it } from "vitest";
import { findJsonObjects, JsonTextError } from "./find-json-objects.ts";

describe("objects in a text", () => {
  it.each<[string, string, unknown[]]>([
    ["alone", '{"a": 1.5e3, "b": [true, null, "x"]}', [{ a: 1500, b: [true, null, "x"] }]],
    ["in prose with braces", 'Of {RSI, MACD} and [1, 2]: {"a": 1} {}.', [{ a: 1 }]],
    ["two", '{"a": 1} or {"a": 2}', [{ a: 1 }, { a: 2 }]],
    ["in a list", '[{"a": 1}]', [[{ a: 1 }]]],
    ["with trailing commas", '{"a": [1, 2,], }', [{ a: [1, 2] }]],
    ["with comments", '{ // first\n"a": 1, /* not "a": 2 */ "b": 2}', [{ a: 1, b: 2 }]],
    ["of Python", "{'a': None, 'b': True, 'c': \"it's\"}", [{ a: null, b: true, c: "it's" }]],
    ["with bare keys", "{a: 1, b_2: 'x'}", [{ a: 1, b_2: "x" }]],
    ["with escapes", '{"a\\_b": "\\u00e9\\n\\"\\/ \\ud83d\\ude00"}', [{ a_b: 'é\n"/ 😀' }]],
    ["with line breaks in a string", '{"a": "x\ny"}', [{ a: "x\ny" }]],
    ["with a key twice alike", '{"a": 1, "a": 1}', [{ a: 1 }]],
    ["with a dangerous key", '{"__proto__": {"a": 1}}', [JSON.parse('{"__proto__": {"a": 1}}')]],
    ["none", "Buy!", []],
  ])("are found: %s", (_, text, objects) => {
    expect(findJsonObjects(text).values).toEqual(objects);
  });

  it("are separated from the prose around them", () => {
    expect(findJsonObjects('Of {x}: {"a": 1} or {"a": 2}.').prose).toBe("Of {x}: \n or \n.");
  });

  it.each([
    ["cut off", '{"a": 1, "b": "x', "does not end"],
    ["cut off around a whole one", '{"advice": {"a": 1}, "b"', "does not end"],
    ["a list that is cut off", '[{"a": 1}, {"b', "does not end"],
    ["a comment that does not end", '{"a": 1 /* }', "not valid"],
    ["two values", '{"a": 1 2}', "not valid"],
    ["a number that is none", '{"a": 1.2.3}', "not valid"],
    ["an unknown word", '{"a": BUY}', "not valid"],
    ["a missing quote", '{"a": "x, "b": 1}', "not valid"],
    ["brackets that do not match", '{"a": [1}', "not valid"],
    ["a key twice with different values", '{"a": 1, "a": 2}', "has a twice"],
    ["deep nesting", `{"a": ${"[".repeat(100)}`, "not valid"],
  ])("are refused: %s", (_, text, reason) => {
    expect(() => findJsonObjects(text)).toThrow(JsonTextError);
    expect(() => findJsonObjects(text)).toThrow(reason);
  });
});
