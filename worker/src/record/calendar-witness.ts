import {
  attestationsOf,
  parseOtsFile,
  parseTimestamp,
  replacePending,
  type TimestampProof,
  writeOtsFile,
} from "@shared/domain/opentimestamps.ts";
import { fetchBody, type WholeRequest } from "../market-data/fetch-body.ts";
import type { Testimony, Witness } from "./witness-heads.ts";

/** The reference implementation reads no more than this of a response either. */
const MAX_RESPONSE_BYTES = 10_000;

const TIMEOUT_MS = 10_000;

/**
 * A calendar of OpenTimestamps. It puts what it gets into a Bitcoin transaction every few hours. The stamped digest is
 * the hash of the head itself.
 * @param url its address, as its own proofs name it, without a slash at the end
 */
export function calendarWitness(
  url: string,
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): Witness {
  const ask = (path: string, request: Pick<WholeRequest, "init"> & { abort: AbortSignal }) =>
    fetchBody({
      provider: url,
      url: `${url}${path}`,
      init: { ...request.init, headers: { Accept: "application/vnd.opentimestamps.v1" } },
      aborts: [request.abort],
      limits: {
        headersTimeoutMs: timeoutMs,
        totalTimeoutMs: timeoutMs,
        maxBytes: MAX_RESPONSE_BYTES,
      },
      onAnswer: () => undefined,
    });
  return {
    kind: "opentimestamps",
    name: url,
    async submit({ hash }, abort) {
      const digest = Buffer.from(hash, "hex");
      const response = await ask("/digest", { init: { method: "POST", body: digest }, abort });
      const timestamp = parseTimestamp(await readBody(response, url), digest);
      return describe({ digest, timestamp }, url);
    },
    async complete(bytes, abort) {
      const { digest, timestamp } = parseOtsFile(bytes);
      const commitment = commitmentOf({ digest, timestamp }, url);
      const response = await ask(`/timestamp/${commitment.toString("hex")}`, { abort });
      if (response.status === 404) return null;
      const found = parseTimestamp(await readBody(response, url), commitment);
      const replaced = replacePending(timestamp, { uri: url, by: found });
      const testimony = describe({ digest, timestamp: replaced }, url);
      return testimony.status === "complete" ? testimony : null;
    },
  };
}

async function readBody(response: Response, url: string): Promise<Uint8Array> {
  if (!response.ok) throw new Error(`${url} responded with status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** @throws Error for a proof that leads neither to Bitcoin nor back to this calendar */
function describe(proof: TimestampProof, url: string): Testimony {
  const file = writeOtsFile(proof);
  // The parts of a proof may be in order and the whole too long for its readers.
  const attestations = attestationsOf(parseOtsFile(file));
  const blocks = attestations.flatMap(({ attestation }) =>
    attestation.kind === "bitcoin" ? [attestation.height] : [],
  );
  if (blocks.length > 0) {
    return { status: "complete", url, proof: file, bitcoinBlock: Math.min(...blocks) };
  }
  commitmentOf(proof, url);
  return { status: "pending", url, proof: file };
}

/** The message under which the calendar can be asked for the rest of the proof. */
function commitmentOf(proof: TimestampProof, url: string): Buffer {
  const uris: string[] = [];
  for (const { attestation, message } of attestationsOf(proof)) {
    if (attestation.kind !== "pending") continue;
    if (attestation.uri === url) return message;
    uris.push(attestation.uri);
  }
  const named = uris.length > 0 ? `names ${uris.join(", ")}` : "names no calendar";
  throw new Error(`a proof of ${url} ${named}: LEDGER_CALENDARS has to name the same address`);
}
