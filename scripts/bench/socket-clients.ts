import { envelopeSchema } from "@shared/contract/events.ts";
import { io } from "socket.io-client";

/** Opens `COUNT` sockets and sends its parent the delay of each event on each socket. */
const { API_URL = "", TOKEN = "", COUNT = "0" } = process.env;
const CONCURRENCY = 50;

function openSocket(): Promise<void> {
  return new Promise((resolve) => {
    const options = { transports: ["websocket"], forceNew: true, auth: { token: TOKEN } };
    const socket = io(API_URL, { ...options, timeout: 60_000 });
    socket.once("connect", () => resolve());
    socket.onAny((_name: string, payload: unknown) => {
      const { at } = envelopeSchema.parse(payload);
      process.send?.({ lagMs: Date.now() - Date.parse(at) });
    });
  });
}

let left = Number(COUNT);
async function openSockets(): Promise<void> {
  while (left > 0) {
    left -= 1;
    await openSocket();
  }
}
await Promise.all(Array.from({ length: CONCURRENCY }, openSockets));
process.send?.({ opened: Number(COUNT) });
