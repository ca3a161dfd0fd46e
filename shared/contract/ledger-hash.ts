import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import canonicalize from "canonicalize";
import type { LedgerRecord } from "./ledger.ts";

type WithoutHash<Kind> = Kind extends LedgerRecord ? Omit<Kind, "hash"> : never;

/** All of a record but its own hash, which is computed from the rest. */
export type UnhashedRecord = WithoutHash<LedgerRecord>;

/**
 * A value as canonical JSON (RFC 8785): equal values give equal text, whatever the order of their fields.
 * @throws TypeError for what JSON cannot hold
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("this value has no JSON");
  return text;
}

/**
 * SHA-256 of a text's UTF-8 bytes, in lower-case hex. Not by the browser's own Web Crypto, which pages without https
 * lack, and which takes longer to be called than this takes in all.
 */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** The hash that closes a record and that the next one starts with. */
export function hashRecord(record: UnhashedRecord): string {
  return sha256Hex(canonicalJson(record));
}

/**
 * A commitment to `content` that tells nothing of it while the salt is unknown: the SHA-256 of the salt's hex digits
 * followed by the content's canonical JSON.
 */
export function commitTo(content: unknown, salt: string): string {
  return sha256Hex(salt + canonicalJson(content));
}
