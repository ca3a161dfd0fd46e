import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type HttpFake, startHttpFake } from "./fake-http.ts";

/** Ways in which a calendar fails. `slow`: the response never ends. */
type CalendarFault = "down" | "unavailable" | "slow" | "garbage" | "elsewhere";

export type FakeCalendar = Awaited<ReturnType<typeof startFakeCalendar>>;

/** Operations and attestations, encoded as in `opentimestamps/core`. */
const SHA256 = Buffer.from([0x08]);
const append = (bytes: Buffer) => Buffer.concat([Buffer.from([0xf0, bytes.length]), bytes]);
const prepend = (bytes: Buffer) => Buffer.concat([Buffer.from([0xf1, bytes.length]), bytes]);
const attestation = (tag: string, payload: Buffer) =>
  Buffer.concat([Buffer.from(`00${tag}`, "hex"), Buffer.from([payload.length]), payload]);
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest();

/** A Bitcoin block height of 128 to 16,383 takes two bytes; that is enough for tests. */
const bitcoin = (height: number) =>
  attestation("0588960d73d71901", Buffer.from([(height % 128) + 128, Math.floor(height / 128)]));
const pending = (uri: string) =>
  attestation(
    "83dfe30d2ef90c8e",
    Buffer.concat([Buffer.from([uri.length]), Buffer.from(uri, "latin1")]),
  );

/** Starts a fake OpenTimestamps calendar, with the paths, status codes and bytes of the real one (`otsd`). */
export async function startFakeCalendar() {
  const submitted: string[] = [];
  const asked: string[] = [];
  /** By commitment, in hex: the height of the block that it is in; null while it is in none. */
  const blocks = new Map<string, number | null>();
  let fault: CalendarFault | null = null;

  const stamp = async (request: IncomingMessage, response: ServerResponse) => {
    const digest = await buffer(request);
    if (digest.length > 64) return void response.writeHead(400).end("digest too long");
    submitted.push(digest.toString("hex"));
    const nonce = randomBytes(16);
    const time = randomBytes(4);
    const mac = randomBytes(8);
    const hashed = sha256(Buffer.concat([digest, nonce]));
    blocks.set(Buffer.concat([time, hashed, mac]).toString("hex"), null);
    const uri = fault === "elsewhere" ? "https://elsewhere.example" : calendar.url;
    const path = [append(nonce), SHA256, prepend(time), append(mac), pending(uri)];
    send(response, Buffer.concat(path));
  };
  const find = (commitment: string, response: ServerResponse) => {
    asked.push(commitment);
    const height = blocks.get(commitment);
    if (height === undefined) return void response.writeHead(404).end("Not found");
    if (height === null) {
      return void response.writeHead(404).end("Pending confirmation in Bitcoin blockchain");
    }
    const path = [SHA256, append(randomBytes(32)), SHA256, SHA256, bitcoin(height)];
    send(response, Buffer.concat(path));
  };
  const calendar: HttpFake = await startHttpFake(async (request, response) => {
    if (fault && fault !== "elsewhere") return fail(fault, response);
    const [, commitment] = /^\/timestamp\/([0-9a-f]+)$/.exec(request.url ?? "") ?? [];
    if (request.method === "POST" && request.url === "/digest") return stamp(request, response);
    if (request.method === "GET" && commitment) return find(commitment, response);
    response.writeHead(404).end();
  });
  return {
    ...calendar,
    submitted,
    asked,
    /** Puts everything received so far into the Bitcoin block of this height. */
    mine(height: number) {
      for (const [commitment, known] of blocks) blocks.set(commitment, known ?? height);
    },
    behave(next: CalendarFault | null) {
      fault = next;
    },
  };
}

function fail(fault: Exclude<CalendarFault, "elsewhere">, response: ServerResponse): void {
  if (fault === "down") response.destroy();
  if (fault === "unavailable") response.writeHead(503).end();
  if (fault === "slow") response.writeHead(200, { "content-length": 100 }).write("\u00f0");
  if (fault === "garbage") send(response, Buffer.from("<html>Just a moment...</html>"));
}

function send(response: ServerResponse, bytes: Buffer): void {
  response.writeHead(200, { "content-type": "application/octet-stream" }).end(bytes);
}
