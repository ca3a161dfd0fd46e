import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  attestationsOf,
  mergeTimestamps,
  parseOtsFile,
  parseTimestamp,
  replacePending,
  type Timestamp,
  writeOtsFile,
} from "./opentimestamps.ts";

const digest = createHash("sha256").update("head").digest();
const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ""), "hex");
/** `append 0102`, `sha256`, pending at `https://a`. */
const PENDING = hex(
  `f0020102 08 00 83dfe30d2ef90c8e 0a 09 ${Buffer.from("https://a").toString("hex")}`,
);
/** `prepend ff`, Bitcoin block 300. */
const BITCOIN = hex("f101ff 00 0588960d73d71901 02 ac02");
const sha256 = (...parts: Buffer[]) => createHash("sha256").update(Buffer.concat(parts)).digest();
const kindsOf = (timestamp: Timestamp) =>
  attestationsOf({ digest, timestamp }).map(({ attestation }) => attestation.kind);

describe("proofs of OpenTimestamps", () => {
  it("are written as they were read", () => {
    const file = writeOtsFile({ digest, timestamp: parseTimestamp(PENDING, digest) });
    const header = "004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e89294 01 08";
    expect(file).toEqual(Buffer.concat([hex(header), digest, PENDING]));
    const proof = parseOtsFile(file);
    expect(writeOtsFile(proof)).toEqual(file);
    expect(attestationsOf(proof)).toEqual([
      {
        attestation: { kind: "pending", uri: "https://a" },
        message: sha256(digest, hex("0102")),
      },
    ]);
  });

  it("are completed by what the calendar has found", () => {
    const commitment = sha256(digest, hex("0102"));
    const timestamp = replacePending(parseTimestamp(PENDING, digest), {
      uri: "https://a",
      by: parseTimestamp(BITCOIN, commitment),
    });
    const proof = parseOtsFile(writeOtsFile({ digest, timestamp }));
    expect(attestationsOf(proof)).toEqual([
      {
        attestation: { kind: "bitcoin", height: 300 },
        message: Buffer.concat([hex("ff"), commitment]),
      },
    ]);
  });

  it("are merged, with the operations that both begin with only once", () => {
    const timestamp = mergeTimestamps(
      mergeTimestamps(parseTimestamp(PENDING, digest), parseTimestamp(BITCOIN, digest)),
      parseTimestamp(Buffer.concat([hex("f0020102"), BITCOIN]), digest),
    );
    expect(timestamp).toHaveLength(2);
    const read = parseOtsFile(writeOtsFile({ digest, timestamp })).timestamp;
    expect(kindsOf(read)).toEqual(["pending", "bitcoin", "bitcoin"]);
  });

  it("keep attestations of other kinds", () => {
    const other = hex("00 0102030405060708 03 aabbcc");
    const timestamp = parseTimestamp(Buffer.concat([hex("ff"), other, BITCOIN]), digest);
    expect(kindsOf(timestamp)).toEqual(["other", "bitcoin"]);
    const { timestamp: read } = parseOtsFile(writeOtsFile({ digest, timestamp }));
    expect(read).toEqual(timestamp);
  });

  it.each([
    ["nothing", hex("")],
    ["a page of HTML", Buffer.from("<html>")],
    ["a proof that ends early", PENDING.subarray(0, -1)],
    ["a proof that goes on", Buffer.concat([PENDING, hex("00")])],
    ["an operation without an argument", hex("f000")],
    ["an endless number", hex("f0ffffffffffffff")],
    ["too many operations", Buffer.alloc(10_000, 0x08)],
    ["a message that grows too long", Buffer.concat([hex("f08020"), Buffer.alloc(4_096), BITCOIN])],
  ])("are not %s", (_, bytes) => {
    expect(() => parseTimestamp(bytes, digest)).toThrow(
      expect.objectContaining({ name: "InvalidProofError" }),
    );
  });

  it.each([
    ["no header", PENDING],
    ["another version", writeOtsFile({ digest, timestamp: [] }).fill(2, 31, 32)],
    ["another hash", writeOtsFile({ digest, timestamp: [] }).fill(3, 32, 33)],
  ])("are not read from a file with %s", (_, bytes) => {
    expect(() => parseOtsFile(bytes)).toThrow(
      expect.objectContaining({ name: "InvalidProofError" }),
    );
  });
});
