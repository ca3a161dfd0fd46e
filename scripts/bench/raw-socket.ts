import { WebSocket } from "ws";

/** A message that tells a client to answer or to start. The digits are the packet types of Engine.IO and Socket.IO. */
const PING = "2";
const PONG = "3";
const OPEN = "0";
const CONNECT = "40";
const CONNECT_ERROR = "44";
const EVENT = "42";

/** A raw client of Socket.IO: a thousand of the browser's would take longer than the server. Resolves once it is connected. */
export function openSocket(
  apiUrl: string,
  { auth, onMessage }: { auth: object; onMessage: (text: string) => void },
): Promise<WebSocket> {
  const address = `${apiUrl.replace("http", "ws")}/socket.io/?EIO=4&transport=websocket`;
  const socket = new WebSocket(address, { perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    const acts: [start: string, act: (text: string) => void][] = [
      [EVENT, (text) => onMessage(text.slice(EVENT.length))],
      [PING, () => socket.send(PONG)],
      [OPEN, () => socket.send(`${CONNECT}${JSON.stringify(auth)}`)],
      [CONNECT, () => resolve(socket)],
      [CONNECT_ERROR, (text) => reject(new Error(text))],
    ];
    socket.on("message", (data) => {
      const text = String(data);
      acts.find(([start]) => text.startsWith(start))?.[1](text);
    });
  });
}
