import { MongoClient } from "mongodb";
import { MongoMemoryReplSet } from "mongodb-memory-server";
import { ensureMongod } from "../../scripts/lib/ensure-mongod.mjs";

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
export interface FailingMongo {
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
