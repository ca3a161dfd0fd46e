import type { Server as HttpServer } from "node:http";
import { createAdapter } from "@socket.io/redis-adapter";
import { Redis } from "ioredis";
import { Server } from "socket.io";
import { redisOptions } from "./peer-env.ts";

/** Sockets that all processes reach through Redis; without `http` a process only sends. */
export function openPush(http?: HttpServer) {
  const publishing = new Redis(redisOptions);
  const subscribed = publishing.duplicate();
  const io = new Server({ serveClient: false, adapter: createAdapter(publishing, subscribed) });
  if (http) io.attach(http);
  return {
    io,
    redis: publishing,
    async close() {
      await io.close();
      publishing.disconnect();
      subscribed.disconnect();
    },
  };
}

export type Push = ReturnType<typeof openPush>;
