import { createHash } from "node:crypto";

/**
 * A proof of OpenTimestamps, in the format of its reference implementation (https://github.com/opentimestamps/python-
 * opentimestamps, `opentimestamps/core`): a tree of operations from a message to attestations. Supports the
 * operations of calendars: append, prepend, SHA-256.
 */
export type Timestamp = readonly TimestampNode[];

type TimestampNode =
  | { kind: "attestation"; attestation: Attestation }
  | { kind: "operation"; operation: Operation; result: Buffer; next: Timestamp };

export type Attestation =
  /** The calendar at `uri` will have the rest of the proof. */
  | { kind: "pending"; uri: string }
  /** The message is the Merkle root of the Bitcoin block of this height. */
  | { kind: "bitcoin"; height: number }
  | { kind: "other"; tag: string; payload: Buffer };

type Operation = { name: "sha256" } | { name: "append" | "prepend"; argument: Buffer };

/** A timestamp and its message, as in an .ots file. */
export interface TimestampProof {
  digest: Buffer;
  timestamp: Timestamp;
}

const HEADER = Buffer.concat([
  Buffer.from("\0OpenTimestamps\0\0Proof\0", "latin1"),
  Buffer.from("bf89e2e884e89294", "hex"),
]);
const VERSION = 1;
const SHA256_LENGTH = 32;

const TAGS = { attestation: 0x00, sha256: 0x08, append: 0xf0, prepend: 0xf1, fork: 0xff } as const;
const ATTESTATION_TAGS = { pending: "83dfe30d2ef90c8e", bitcoin: "0588960d73d71901" } as const;
const ATTESTATION_TAG_LENGTH = 8;

/** Limits of the reference implementation. */
const MAX_MESSAGE_LENGTH = 4_096;
const MAX_PAYLOAD_LENGTH = 8_192;
const MAX_DEPTH = 255;

/**
 * Reads a timestamp of a calendar.
 * @param message of the first operation
 * @throws InvalidProofError
 */
export function parseTimestamp(bytes: Uint8Array, message: Buffer): Timestamp {
  const reader = new ProofReader(bytes);
  const timestamp = readTimestamp(reader, { message, depth: 0 });
  reader.assertEnd();
  return timestamp;
}

/**
 * Reads an .ots file.
 * @throws InvalidProofError
 */
export function parseOtsFile(bytes: Uint8Array): TimestampProof {
  const reader = new ProofReader(bytes);
  if (!reader.bytes(HEADER.length).equals(HEADER)) throw new InvalidProofError("no .ots file");
  if (reader.varuint() !== VERSION) throw new InvalidProofError("unknown version");
  if (reader.byte() !== TAGS.sha256) throw new InvalidProofError("not a proof of a SHA-256");
  const digest = reader.bytes(SHA256_LENGTH);
  const timestamp = readTimestamp(reader, { message: digest, depth: 0 });
  reader.assertEnd();
  return { digest, timestamp };
}

export function writeOtsFile({ digest, timestamp }: TimestampProof): Buffer {
  const start = [HEADER, Buffer.from([VERSION, TAGS.sha256]), digest];
  return Buffer.concat([...start, writeTimestamp(timestamp)]);
}

export function attestationsOf({
  digest,
  timestamp,
}: TimestampProof): { attestation: Attestation; message: Buffer }[] {
  return timestamp.flatMap((node) =>
    node.kind === "attestation"
      ? [{ attestation: node.attestation, message: digest }]
      : attestationsOf({ digest: node.result, timestamp: node.next }),
  );
}

/** Replaces a pending attestation by what its calendar returned. */
export function replacePending(
  timestamp: Timestamp,
  replacement: { uri: string; by: Timestamp },
): Timestamp {
  return timestamp.flatMap((node): readonly TimestampNode[] => {
    if (node.kind === "operation") {
      return [{ ...node, next: replacePending(node.next, replacement) }];
    }
    const { attestation } = node;
    const isReplaced = attestation.kind === "pending" && attestation.uri === replacement.uri;
    return isReplaced ? replacement.by : [node];
  });
}

/** Merges timestamps of one message. Common operations must appear only once. */
export function mergeTimestamps(first: Timestamp, second: Timestamp): Timestamp {
  const merged = [...first];
  for (const node of second) {
    const index = merged.findIndex((other) => startsAlike(other, node));
    const other = merged[index];
    if (other?.kind === "operation" && node.kind === "operation") {
      merged[index] = { ...other, next: mergeTimestamps(other.next, node.next) };
    } else {
      merged.push(node);
    }
  }
  return merged;
}

const startsAlike = (first: TimestampNode, second: TimestampNode): boolean =>
  first.kind === "operation" &&
  second.kind === "operation" &&
  writeOperation(first.operation).equals(writeOperation(second.operation));

function readTimestamp(reader: ProofReader, place: { message: Buffer; depth: number }): Timestamp {
  if (place.depth > MAX_DEPTH) throw new InvalidProofError("too many operations");
  const nodes: TimestampNode[] = [];
  let tag = reader.byte();
  while (tag === TAGS.fork) {
    nodes.push(readNode(reader, { ...place, tag: reader.byte() }));
    tag = reader.byte();
  }
  nodes.push(readNode(reader, { ...place, tag }));
  return nodes;
}

function readNode(
  reader: ProofReader,
  { tag, message, depth }: { tag: number; message: Buffer; depth: number },
): TimestampNode {
  if (tag === TAGS.attestation)
    return { kind: "attestation", attestation: readAttestation(reader) };
  const operation = readOperation(reader, tag);
  const result = apply(operation, message);
  if (result.length > MAX_MESSAGE_LENGTH) throw new InvalidProofError("a message is too long");
  const next = readTimestamp(reader, { message: result, depth: depth + 1 });
  return { kind: "operation", operation, result, next };
}

function readOperation(reader: ProofReader, tag: number): Operation {
  if (tag === TAGS.sha256) return { name: "sha256" };
  if (tag !== TAGS.append && tag !== TAGS.prepend) {
    throw new InvalidProofError(`unknown operation 0x${tag.toString(16)}`);
  }
  const argument = reader.varbytes(MAX_MESSAGE_LENGTH);
  if (argument.length === 0) throw new InvalidProofError("an operation has an empty argument");
  return { name: tag === TAGS.append ? "append" : "prepend", argument };
}

function apply(operation: Operation, message: Buffer): Buffer {
  if (operation.name === "sha256") return createHash("sha256").update(message).digest();
  const { name, argument } = operation;
  return Buffer.concat(name === "append" ? [message, argument] : [argument, message]);
}

function readAttestation(reader: ProofReader): Attestation {
  const tag = reader.bytes(ATTESTATION_TAG_LENGTH).toString("hex");
  const payload = reader.varbytes(MAX_PAYLOAD_LENGTH);
  const content = new ProofReader(payload);
  if (tag === ATTESTATION_TAGS.pending) {
    const uri = content.varbytes(MAX_PAYLOAD_LENGTH).toString("latin1");
    content.assertEnd();
    return { kind: "pending", uri };
  }
  if (tag === ATTESTATION_TAGS.bitcoin) {
    const height = content.varuint();
    content.assertEnd();
    return { kind: "bitcoin", height };
  }
  return { kind: "other", tag, payload };
}

function writeTimestamp(timestamp: Timestamp): Buffer {
  const nodes = timestamp.map(writeNode);
  const forks = nodes.slice(0, -1).flatMap((node) => [Buffer.from([TAGS.fork]), node]);
  return Buffer.concat([...forks, ...nodes.slice(-1)]);
}

function writeNode(node: TimestampNode): Buffer {
  return node.kind === "attestation"
    ? writeAttestation(node.attestation)
    : Buffer.concat([writeOperation(node.operation), writeTimestamp(node.next)]);
}

function writeOperation(operation: Operation): Buffer {
  const tag = Buffer.from([TAGS[operation.name]]);
  return operation.name === "sha256"
    ? tag
    : Buffer.concat([tag, writeVarbytes(operation.argument)]);
}

function writeAttestation(attestation: Attestation): Buffer {
  const tag = attestation.kind === "other" ? attestation.tag : ATTESTATION_TAGS[attestation.kind];
  const start = Buffer.from([TAGS.attestation, ...Buffer.from(tag, "hex")]);
  return Buffer.concat([start, writeVarbytes(payloadOf(attestation))]);
}

function payloadOf(attestation: Attestation): Buffer {
  if (attestation.kind === "pending") return writeVarbytes(Buffer.from(attestation.uri, "latin1"));
  if (attestation.kind === "bitcoin") return writeVaruint(attestation.height);
  return attestation.payload;
}

class InvalidProofError extends Error {
  override readonly name = "InvalidProofError";
}

/** Enough for block heights and lengths. */
const MAX_VARUINT_LENGTH = 5;

class ProofReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes);
  }

  bytes(length: number): Buffer {
    const end = this.#position + length;
    if (end > this.#bytes.length) throw new InvalidProofError("the proof ends early");
    const read = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return read;
  }

  byte(): number {
    return this.bytes(1).readUInt8();
  }

  varuint(): number {
    let value = 0;
    for (let index = 0; index < MAX_VARUINT_LENGTH; index += 1) {
      const byte = this.byte();
      value += (byte % 0x80) * 0x80 ** index;
      if (byte < 0x80) return value;
    }
    throw new InvalidProofError("a number is too large");
  }

  varbytes(maxLength: number): Buffer {
    const length = this.varuint();
    if (length > maxLength) throw new InvalidProofError("a part of the proof is too long");
    return this.bytes(length);
  }

  assertEnd(): void {
    if (this.#position < this.#bytes.length) throw new InvalidProofError("bytes follow the proof");
  }
}

/** LEB128: seven bits a byte, lowest first; the highest bit is set if more follow. */
function writeVaruint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}

const writeVarbytes = (bytes: Buffer): Buffer => Buffer.concat([writeVaruint(bytes.length), bytes]);
