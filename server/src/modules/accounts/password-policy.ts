import type { Role } from "@shared/contract/account.ts";
import { MIN_ADMIN_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "@shared/contract/constants.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { dictionary } from "@zxcvbn-ts/language-common";

/** The number that ASVS 5 (6.2.4) asks for. */
const COMMON_PASSWORDS = 3_000;

const MIN_LENGTH = {
  user: MIN_PASSWORD_LENGTH,
  admin: MIN_ADMIN_PASSWORD_LENGTH,
} as const satisfies Record<Role, number>;

const commonPasswords = (role: Role): ReadonlySet<string> =>
  new Set(
    dictionary["passwords-common"]
      .filter(({ length }) => length >= MIN_LENGTH[role])
      .slice(0, COMMON_PASSWORDS),
  );

const COMMON: Record<Role, ReadonlySet<string>> = {
  user: commonPasswords("user"),
  admin: commonPasswords("admin"),
};

const PRODUCT_WORDS = ["aitradingbot", "aitradingsignals", "tradingbot", "tradingsignals"];

/** Refuses a new password that is easy to guess. @throws AppError invalid-input */
export function assertStrongPassword(
  field: "password" | "new_password",
  password: string,
  { role, username, email }: Pick<UserRecord, "role" | "username" | "email">,
): void {
  const refuse = (message: string) => {
    throw new AppError("invalid-input", message, { errors: [{ field, message }] });
  };
  if (password.length < MIN_LENGTH[role]) {
    refuse(`Administrators need a password of at least ${MIN_LENGTH[role]} characters.`);
  }
  const [localPart = ""] = email.split("@");
  const knownWords = [username, email, localPart, ...PRODUCT_WORDS].map(lettersAndDigits);
  if (knownWords.includes(lettersAndDigits(password))) {
    refuse("Do not use your name, your email address or the name of the product.");
  }
  if (COMMON[role].has(password.toLowerCase())) {
    refuse("This password is too common. Choose another one.");
  }
}

const lettersAndDigits = (text: string): string =>
  text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
