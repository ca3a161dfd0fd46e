import {
  createLedgerVerifier,
  type LedgerReport,
  type VerifierOptions,
} from "./ledger-verifier.ts";

/** A ledger as it is downloaded: bytes of UTF-8, one entry a line. */
export type LedgerBytes = ReadableStream<Uint8Array>;

/** Lines between two reports of progress; in a browser the page comes to its turn there. */
const LINES_AT_A_TIME = 250;

/**
 * Checks a downloaded ledger while it arrives, and stops reading at the first bad record.
 * @param options.onProgress is told how many lines have been checked
 * @throws whatever keeps the bytes from being read
 */
export async function verifyLedger(
  bytes: LedgerBytes,
  options: VerifierOptions & { onProgress?: (lines: number) => void } = {},
): Promise<LedgerReport> {
  const { onProgress, ...verifierOptions } = options;
  const verifier = createLedgerVerifier(verifierOptions);
  let lines = 0;
  for await (const line of linesOf(bytes)) {
    if (!verifier.add(line)) break;
    lines += 1;
    if (lines % LINES_AT_A_TIME > 0) continue;
    onProgress?.(lines);
    await nextTurn();
  }
  onProgress?.(lines);
  return verifier.finish();
}

async function* linesOf(bytes: LedgerBytes): AsyncGenerator<string> {
  const reader = bytes.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
      if (done) break;
    }
    if (rest !== "") yield rest;
  } finally {
    await reader.cancel();
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
