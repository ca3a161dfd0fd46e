import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { createBase58check } from "@scure/base";

const base58check = createBase58check(sha256);

/** The first byte of every Tron address. */
const TRON_PREFIX = "41";

/** The 40 hexadecimal digits of an `0x` address, or null if it is mistyped. Mixed case is a checksum. */
export function decodeEvmAddress(address: string): string | null {
  const [, digits = ""] = /^0x([0-9a-f]{40})$/i.exec(address) ?? [];
  const lowerCase = digits.toLowerCase();
  if (digits === "" || digits === lowerCase || digits === digits.toUpperCase()) {
    return lowerCase || null;
  }
  const hash = bytesToHex(keccak_256(utf8ToBytes(lowerCase)));
  const expected = [...lowerCase].map((digit, index) =>
    Number.parseInt(hash.charAt(index), 16) > 7 ? digit.toUpperCase() : digit,
  );
  return expected.join("") === digits ? lowerCase : null;
}

/** The 40 hexadecimal digits of a `T…` address, or null if it is mistyped. */
export function decodeTronAddress(address: string): string | null {
  try {
    const decoded = bytesToHex(base58check.decode(address));
    return decoded.length === 42 && decoded.startsWith(TRON_PREFIX) ? decoded.slice(2) : null;
  } catch {
    return null;
  }
}

/** @param digits 40, hexadecimal */
export const encodeTronAddress = (digits: string): string =>
  base58check.encode(hexToBytes(TRON_PREFIX + digits));
