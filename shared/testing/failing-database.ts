import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { MongoClient } from "mongodb";
import { MongoMemoryReplSet } from "mongodb-memory-server";
import { ensureMongod } from "../../scripts/lib/mongo/ensure-mongod.ts";

/** How a command fails on purpose. */
interface CommandFailure {
  commands: readonly string[];
  times: number;
  /** Hangs for this time before it is carried out, in milliseconds. */
  blockMs?: number;
  /** Is carried out, but answers with this error of the write concern. */
  writeConcernErrorCode?: number;
}

/** A replica set of its own whose commands can be made to fail; fail points concern all clients of a server. */
interface FailingMongo {
  /** Address of an empty database. */
  uri: string;
  /** Commands of connections with this `appName` fail; all others do not. */
  appName: string;
  fail(failure: CommandFailure): Promise<void>;
  recover(): Promise<void>;
  stop(): Promise<void>;
}

export async function startFailingMongo(): Promise<FailingMongo> {
  const mongod = await ensureMongod();
  const replicaSet = await MongoMemoryReplSet.create({
    binary: { systemBinary: mongod.path, version: mongod.version },
    replSet: {
      count: 1,
      storageEngine: "wiredTiger",
      args: ["--setParameter", "enableTestCommands=1"],
    },
  });
  const client = await MongoClient.connect(replicaSet.getUri());
  const admin = client.db("admin");
  const appName = "failing";
  return {
    uri: replicaSet.getUri("test"),
    appName,
    async fail({ commands, times, blockMs, writeConcernErrorCode }) {
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

/** Passes connections on to another address, and can behave as a network that fails. */
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
    await relay.#listen();
    return relay;
  }

  /** Nothing gets through any more, in either direction, but every connection stays: a host that hangs. */
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

  /** Cuts all connections and refuses new ones: a process that died. */
  async cut(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far.destroy();
    }
    await closed;
  }

  /** Takes connections again, on the same port. */
  async mend(): Promise<void> {
    this.#server = createServer((near) => this.#accept(near));
    await this.#listen();
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    if (typeof address === "object" && address) this.port = address.port;
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

/** A relay in front of a database, and the address of that database through it. */
export async function startDatabaseRelay(uri: string): Promise<{ relay: TcpRelay; uri: string }> {
  const through = new URL(uri);
  const relay = await TcpRelay.start({ host: through.hostname, port: Number(through.port) });
  through.host = `127.0.0.1:${relay.port}`;
  through.search = "?directConnection=true";
  return { relay, uri: through.href };
}
