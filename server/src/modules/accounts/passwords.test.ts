import { describe, expect, it } from "vitest";
import { assertStrongPassword } from "./passwords.ts";

const ann = { role: "user", username: "Ann.Smith", email: "a.smith@example.com" } as const;
const admin = { ...ann, role: "admin" } as const;

describe("a new password", () => {
  it.each(["123456", "password", "Password1", "qwerty123", "IloveYou"])(
    "is refused if it is common: %s",
    (password) => {
      expect(() => assertStrongPassword("password", password, ann)).toThrow("too common");
    },
  );

  it.each(["ann-smith", "A.SMITH", "a.smith@example.com", "AI Trading Bot", "tradingsignals"])(
    "is refused if the account or the product is called so: %s",
    (password) => {
      expect(() => assertStrongPassword("password", password, ann)).toThrow("Do not use your name");
    },
  );

  it("names the field that is wrong", () => {
    expect(() => assertStrongPassword("new_password", "123456", ann)).toThrow(
      expect.objectContaining({
        code: "invalid-input",
        errors: [{ field: "new_password", message: expect.any(String) }],
      }),
    );
  });

  it.each(["secret-1", "correct horse", "ann-smith-4"])("is accepted otherwise: %s", (password) => {
    assertStrongPassword("password", password, ann);
  });

  it("needs 12 uncommon characters for an administrator", () => {
    const refusal = (password: string) => () => assertStrongPassword("password", password, admin);
    expect(refusal("rare-secret")).toThrow("at least 12 characters");
    expect(refusal("1qaz2wsx3edc")).toThrow("too common");
    expect(refusal("a rare secret")).not.toThrow();
  });
});
