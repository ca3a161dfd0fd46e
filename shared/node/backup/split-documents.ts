/** A BSON document begins with its own length, which counts these four bytes as well. */
const LENGTH_BYTES = 4;

/** MongoDB's largest document with some room for what the server adds (as mongodump's files may hold). */
const MOST_BYTES = 17 * 1_024 * 1_024;

/**
 * Takes a stream of BSON documents, one after the other as mongodump writes them, apart.
 * @throws RangeError for bytes that cannot be such a stream, or that end in the midst of a document
 */
export async function* splitDocuments(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let offset = 0;
    for (;;) {
      const length = documentLength(rest, offset);
      if (length === undefined || offset + length > rest.length) break;
      yield rest.subarray(offset, offset + length);
      offset += length;
    }
    rest = rest.subarray(offset);
  }
  if (rest.length > 0) throw new RangeError("The file ends in the midst of a document.");
}

function documentLength(bytes: Buffer, offset: number): number | undefined {
  if (bytes.length - offset < LENGTH_BYTES) return undefined;
  const length = bytes.readInt32LE(offset);
  if (length > LENGTH_BYTES && length <= MOST_BYTES) return length;
  throw new RangeError("The file is no sequence of BSON documents.");
}
