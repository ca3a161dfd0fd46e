import { isAbsolute } from "node:path";
import { z } from "zod";
import { decodeEvmAddress, decodeTronAddress } from "./wallet-addresses.ts";

export const port = z.coerce.number().int().min(1).max(65_535);
export const onOrOff = z.enum(["on", "off"]);
export const optionalText = z.string().min(1).optional();
export const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http(s) address" });
export const usdPrice = z.coerce
  .number({ error: "must be a number of US dollars" })
  .nonnegative({ error: "must be 0 or more" })
  .optional();
/** Not a valid URL: the address of a replica set contains all members, separated by commas. */
export const mongodbAddress = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\/[^\s/?]+([/?]\S*)?$/, { error: "must be a mongodb:// address" });
export const commaList = z.string().transform((text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== ""),
);

/** Not always a URL: git also accepts paths and `git@host:path`. */
export const gitRepository = z
  .string()
  .refine(
    (text) => isAbsolute(text) || /^((https|ssh):\/\/|[\w.-]+@[\w.-]+:)[^\s-]\S*$/.test(text),
    {
      error: "must be an absolute path, an https:// or ssh:// address, or git@host:path",
    },
  )
  .refine((text) => !/^https:\/\/[^/]*@/.test(text), {
    error: "must not contain a user or password; use a credential helper of git",
  });
/** Public calendars of the OpenTimestamps project and of Eternity Wall. */
export const PUBLIC_CALENDARS = [
  "https://alice.btc.calendar.opentimestamps.org",
  "https://bob.btc.calendar.opentimestamps.org",
  "https://finney.calendar.eternitywall.com",
];
export const notCalendars = { error: "must be http(s) addresses, or off" };
/** The proof format allows no other characters. */
export const calendarUrl = z
  .string()
  .regex(/^https?:\/\/[\w.-]+(:\d+)?(\/[\w./-]*)?$/, notCalendars)
  .transform((url) => url.replace(/\/+$/, ""));

export const evmAddress = z.string().refine((text) => decodeEvmAddress(text) !== null, {
  error: "must be an address of 0x and 40 hexadecimal digits, with a correct checksum",
});
export const tronAddress = z.string().refine((text) => decodeTronAddress(text) !== null, {
  error: "must be an address of Tron, with a correct checksum",
});

export const randomSecret = z.string().min(32, { error: "must have at least 32 characters" });

/** A point (65 bytes) or a number (32 bytes) of P-256. */
export const vapidKey = (bytes: 65 | 32) =>
  z
    .string()
    .refine((text) => Buffer.from(text, "base64url").length === bytes, {
      error: `must be ${bytes} bytes in base64url, such as web-push generates`,
    })
    .optional();
