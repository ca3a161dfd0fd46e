import type { BrowserContext, WebSocketRoute } from "playwright/test";

/** Cuts and mends the way between the browser's sockets and the server; REST stays as it is. */
export interface SocketSwitch {
  cut(): void;
  mend(): void;
}

/** An open WebSocket outlives the browser's own offline mode, so the sockets are led through here. */
export async function installSocketSwitch(context: BrowserContext): Promise<SocketSwitch> {
  const open = new Set<WebSocketRoute>();
  let isCut = false;
  await context.routeWebSocket(/socket\.io/, (socket) => {
    if (isCut) return void socket.close();
    open.add(socket).add(socket.connectToServer());
  });
  await context.route(/socket\.io/, (route) => (isCut ? route.abort() : route.continue()));
  return {
    cut() {
      isCut = true;
      for (const socket of open) void socket.close();
      open.clear();
    },
    mend() {
      isCut = false;
    },
  };
}
