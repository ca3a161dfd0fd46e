import { expect, test } from "vitest";
import { readReturnTo } from "./auth-page.tsx";

test("the login leads back to where a guard stopped the user", () => {
  expect(readReturnTo({ from: "/signal-history?a=1#b" })).toBe("/signal-history?a=1#b");
});

test.each([
  null,
  "text",
  {},
  { from: 5 },
  { from: "https://evil.example" },
  { from: "//evil.example" },
  { from: "/\\evil.example" },
])("anything else leads to the dashboard: %j", (state) => {
  expect(readReturnTo(state)).toBe("/dashboard");
});
