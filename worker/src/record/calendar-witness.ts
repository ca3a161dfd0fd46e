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

/** Limit of the reference implementation. */
const MAX_RESPONSE_BYTES = 10_000;

const TIMEOUT_MS = 10_000;

/** OpenTimestamps calendar. The stamped digest is the hash of the head. */
export function calendarWitness(
  url: string,
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): Witness {
  const ask = (path: string, request: Pick<WholeRequest, "init" | "abort">) =>
    fetchBody({
      provider: url,
      url: `${url}${path}`,
      init: { ...request.init, headers: { Accept: "application/vnd.opentimestamps.v1" } },
      abort: request.abort,
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

function describe(proof: TimestampProof, url: string): Testimony {
  const file = writeOtsFile(proof);
  // A proof of valid parts may still be too long to be read.
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
