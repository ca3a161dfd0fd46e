import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { MongoClient } from "mongodb";
import { MongoMemoryReplSet } from "mongodb-memory-server";
import { ensureMongod } from "../../scripts/lib/mongo/mongod.ts";
import { listenLocally } from "./fakes/fake-http.ts";

interface CommandFailure {
  commands: readonly string[];
  times: number;
  /** Hangs for this time before it runs, in milliseconds. */
  blockMs?: number;
  writeConcernErrorCode?: number;
}

/** Starts a separate replica set with fail points. Only commands of connections with its `appName` fail. */
export async function startFailingMongo() {
  const mongod = await ensureMongod();
  const replicaSet = await MongoMemoryReplSet.create({
    binary: { systemBinary: mongod.path, version: mongod.version },
    replSet: {
      count: 1,
      storageEngine: "wiredTiger",
      args: ["--setParameter=enableTestCommands=1"],
    },
  });
  const client = await MongoClient.connect(replicaSet.getUri());
  const admin = client.db("admin");
  const appName = "failing";
  return {
    uri: replicaSet.getUri("test"),
    appName,
    async fail({ commands, times, blockMs, writeConcernErrorCode }: CommandFailure) {
      await admin.command({
        configureFailPoint: "failCommand",
        mode: { times },
        data: {
          failCommands: [...commands],
          appName,
          ...(blockMs !== undefined && { blockConnection: true, blockTimeMS: blockMs }),
          ...(writeConcernErrorCode !== undefined && {
            writeConcernError: { code: writeConcernErrorCode, errmsg: "made to fail" },
          }),
        },
      });
    },
    async recover() {
      await admin.command({ configureFailPoint: "failCommand", mode: "off" });
    },
    async stop() {
      await client.close();
      await replicaSet.stop();
    },
  };
}

/** Forwards connections to another address, and simulates network failures. */
export class TcpRelay {
  readonly #target: { host: string; port: number };
  readonly #pairs = new Set<{ near: Socket; far: Socket }>();
  #server: Server;
  #frozen = false;
  port = 0;

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
    this.#server = createServer((near) => this.#accept(near));
  }

  static async start(target: { host: string; port: number }): Promise<TcpRelay> {
    const relay = new TcpRelay(target);
    relay.port = await listenLocally(relay.#server);
    return relay;
  }

  /** Stops all traffic but keeps connections open, like a host that hangs. */
  freeze(): void {
    if (this.#frozen) return;
    this.#frozen = true;
    for (const { near, far } of this.#pairs) {
      near.unpipe(far);
      far.unpipe(near);
    }
  }

  thaw(): void {
    if (!this.#frozen) return;
    this.#frozen = false;
    for (const { near, far } of this.#pairs) join(near, far);
  }

  /** Closes all connections and refuses new ones, like a crashed process. */
  async cut(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far.destroy();
    }
    await closed;
  }

  /** Accepts connections again, on the same port. */
  async restore(): Promise<void> {
    this.#server = createServer((near) => this.#accept(near));
    await listenLocally(this.#server, this.port);
  }

  #accept(near: Socket): void {
    const pair = { near, far: connect(this.#target) };
    this.#pairs.add(pair);
    for (const [one, other] of [
      [near, pair.far],
      [pair.far, near],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => {
        other.destroy();
        this.#pairs.delete(pair);
      });
    }
    if (!this.#frozen) join(near, pair.far);
  }
}

function join(near: Socket, far: Socket): void {
  near.pipe(far);
  far.pipe(near);
}

export async function startDatabaseRelay(uri: string): Promise<{ relay: TcpRelay; uri: string }> {
  const through = new URL(uri);
  const relay = await TcpRelay.start({ host: through.hostname, port: Number(through.port) });
  through.host = `127.0.0.1:${relay.port}`;
  through.search = "?directConnection=true";
  return { relay, uri: through.href };
}
