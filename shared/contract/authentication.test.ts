import { describe, expect, it } from "vitest";
import { emailSchema, registerRequestSchema } from "./authentication.ts";

describe("the address of an account", () => {
  it.each([
    ["ann@example.com", "ann@example.com"],
    [" ann@example.com\t", "ann@example.com"],
    ["ann@xn--e1aybc.xn--p1ai", "ann@xn--e1aybc.xn--p1ai"],
    ["ann@тест.рф", "ann@xn--e1aybc.xn--p1ai"],
    ["ann@bücher.example", "ann@xn--bcher-kva.example"],
    ["ann@BÜCHER.example", "ann@xn--bcher-kva.example"],
    ["ann@bu\u0308cher.example", "ann@xn--bcher-kva.example"],
    ["r&d-team@example.com", "r&d-team@example.com"],
    ["srs0=hash=ab=example.org=ann@example.com", "srs0=hash=ab=example.org=ann@example.com"],
    ["o'neil+news/{a}|b~`!#$%*?^_@example.co.uk", "o'neil+news/{a}|b~`!#$%*?^_@example.co.uk"],
  ])("may be %j", (address, stored) => expect(emailSchema.parse(address)).toBe(stored));

  it.each([
    "ann",
    "ann@",
    "@example.com",
    "ann@localhost",
    "ann@example.com, bob@example.com",
    "ann bob@example.com",
    "ann@bücher.example/path",
    "ann@bü cher.example",
    "<ann@example.com>",
    'ann"@example.com',
    "ann@example.com\r\nBcc: bob@example.com",
    "änn@example.com",
    "ann@-example.com",
    `${"a".repeat(250)}@example.com`,
  ])("may not be %j", (address) => expect(emailSchema.safeParse(address).success).toBe(false));
});

describe("a registration", () => {
  it("has its name and address without the blanks around them", () => {
    const request = { username: " ann\n", email: " ann@example.com ", password: " secret " };
    expect(registerRequestSchema.parse(request)).toEqual({
      username: "ann",
      email: "ann@example.com",
      password: " secret ",
    });
  });

  it("counts the characters of a password as they are stored", () => {
    const request = { username: "ann", email: "ann@example.com" };
    const decomposed = "e\u0301".repeat(5);
    expect(registerRequestSchema.safeParse({ ...request, password: decomposed }).success).toBe(
      false,
    );
  });
});
