import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import canonicalize from "canonicalize";
import type { LedgerRecord } from "./ledger.ts";

type WithoutHash<Kind> = Kind extends LedgerRecord ? Omit<Kind, "hash"> : never;

export type UnhashedRecord = WithoutHash<LedgerRecord>;

/**
 * Canonical JSON (RFC 8785): equal values give equal text, whatever the order of their fields.
 * @throws TypeError if JSON cannot represent the value
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("this value has no JSON");
  return text;
}

/**
 * SHA-256 of the UTF-8 bytes of a text, in lower-case hex. Web Crypto is slower for short texts and missing on pages
 * without https.
 */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** The hash of a record, which the next record contains. */
export function hashRecord(record: UnhashedRecord): string {
  return sha256Hex(canonicalJson(record));
}

/** A commitment to `content`: SHA-256 of the hex digits of the salt followed by the canonical JSON of the content. */
export function commitTo(content: unknown, salt: string): string {
  return sha256Hex(salt + canonicalJson(content));
}
