/** Bytes that are not a proof, or not one that can be read here. */
export class InvalidProofError extends Error {
  override readonly name = "InvalidProofError";
}

/** Longest number that is read, in bytes: block heights and lengths are far below. */
const MAX_VARUINT_LENGTH = 5;

/** Reads the primitives of the OpenTimestamps format. All methods throw InvalidProofError at bytes that end early. */
export class ProofReader {
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

/** Seven bits a byte, lowest first; the highest bit says that more follow (LEB128). */
export function writeVaruint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}

/** The length, then the bytes. */
export const writeVarbytes = (bytes: Buffer): Buffer =>
  Buffer.concat([writeVaruint(bytes.length), bytes]);
