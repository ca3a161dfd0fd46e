import type { BrowserContext, WebSocketRoute } from "playwright/test";

/** Cuts and restores the network of a browser. */
export interface SocketSwitch {
  cut(): Promise<void>;
  restore(): Promise<void>;
}

/** Open WebSockets outlive the browser's own offline mode, so they are closed as well. */
export async function installSocketSwitch(context: BrowserContext): Promise<SocketSwitch> {
  const open = new Set<WebSocketRoute>();
  let isCut = false;
  await context.routeWebSocket(/socket\.io/, (socket) => {
    if (isCut) return void socket.close();
    open.add(socket).add(socket.connectToServer());
  });
  return {
    async cut() {
      isCut = true;
      await context.setOffline(true);
      for (const socket of open) void socket.close();
      open.clear();
    },
    async restore() {
      isCut = false;
      await context.setOffline(false);
    },
  };
}

/** Lets no live connection come up: what failed to load is then only read again when the user asks for it. */
export const holdSockets = (context: BrowserContext): Promise<void> =>
  context.routeWebSocket(/socket\.io/, () => undefined);
