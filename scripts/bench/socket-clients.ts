import { envelopeSchema } from "@shared/contract/events.ts";
import { io } from "socket.io-client";

/** Opens `COUNT` sockets and tells its parent, for each event, how long after it was told each socket had it. */
const { API_URL = "", TOKEN = "", COUNT = "0" } = process.env;
/** So many handshakes at once; a crowd that comes back after an outage is spread by its clients as well. */
const AT_ONCE = 50;

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
async function openInTurn(): Promise<void> {
  while (left > 0) {
    left -= 1;
    await openSocket();
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, openInTurn));
process.send?.({ opened: Number(COUNT) });
