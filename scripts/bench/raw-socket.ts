import { WebSocket } from "ws";

/** Packets that ask a client to answer or to start. The digits are the packet types of Engine.IO and Socket.IO. */
const PING = "2";
const PONG = "3";
const OPEN = "0";
const CONNECT = "40";
const CONNECT_ERROR = "44";

/**
 * A raw client of Socket.IO: a thousand of the browser's would take longer than the server. Resolves once it is connected.
 * `onPacket` gets the other packets: `42` and an event, or `43` and a reply.
 */
export function openSocket(
  apiUrl: string,
  { auth, onPacket }: { auth: object; onPacket: (packet: string) => void },
): Promise<WebSocket> {
  const address = `${apiUrl.replace("http", "ws")}/socket.io/?EIO=4&transport=websocket`;
  const socket = new WebSocket(address, { perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    const acts: [start: string, act: (packet: string) => void][] = [
      [PING, () => socket.send(PONG)],
      [OPEN, () => socket.send(`${CONNECT}${JSON.stringify(auth)}`)],
      [CONNECT, () => resolve(socket)],
      [CONNECT_ERROR, (packet) => reject(new Error(packet))],
      ["", onPacket],
    ];
    socket.on("message", (data) => {
      const packet = String(data);
      acts.find(([start]) => packet.startsWith(start))?.[1](packet);
    });
  });
}
