import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "@shared/testing/spawn-service.ts";
import { MongoClient } from "mongodb";
import { z } from "zod";
import { ensureMongod } from "../../lib/mongo/ensure-mongod.mjs";
import { MONGOD_PARAMETERS, REPLICA_SET } from "../../lib/mongo/replica-set.mjs";
import { until } from "./until.ts";

/** Long enough for an election after the death of a primary, which MongoDB begins after 10 s. */
const ELECTION_MS = 40_000;

/** A real replica set of one member or of three. */
export class ReplicaSet {
  readonly members: readonly MongodMember[];
  readonly #database: string;

  private constructor(members: readonly MongodMember[], database: string) {
    this.members = members;
    this.#database = database;
  }

  static async launch(options: { members: 1 | 3; database: string }): Promise<ReplicaSet> {
    const members = await Promise.all(
      Array.from({ length: options.members }, () => MongodMember.launch()),
    );
    const set = new ReplicaSet(members, options.database);
    await members[0]?.command({
      replSetInitiate: {
        _id: REPLICA_SET,
        members: members.map(({ address }, _id) => ({ _id, host: address })),
      },
    });
    await set.primary();
    return set;
  }

  /** Address for a client, which the fail points and the logs of the database know by `appName`. */
  uri(appName: string): string {
    const hosts = this.members.map(({ address }) => address).join(",");
    return `mongodb://${hosts}/${this.#database}?replicaSet=${REPLICA_SET}&appName=${appName}`;
  }

  /** The member that takes writes, as soon as there is one; `besides` one that has just ceased to be it. */
  primary(besides?: MongodMember): Promise<MongodMember> {
    const others = this.members.filter((member) => member !== besides);
    return until(
      async () => {
        for (const member of others) if (await isPrimary(member)) return member;
        return;
      },
      { what: "a primary", withinMs: ELECTION_MS },
    );
  }

  /** All members are primary or secondary. */
  async healthy(): Promise<void> {
    await Promise.all(
      this.members.map((member) =>
        until(
          async () => {
            const hello = await member.command({ hello: 1 });
            return hello.isWritablePrimary === true || hello.secondary === true;
          },
          { what: `${member.address} to be well`, withinMs: ELECTION_MS },
        ),
      ),
    );
  }

  async remove(): Promise<void> {
    await Promise.all(this.members.map((member) => member.remove()));
  }
}

async function isPrimary(member: MongodMember): Promise<boolean> {
  try {
    return (await member.command({ hello: 1 })).isWritablePrimary === true;
  } catch {
    return false;
  }
}

const CONNECT_MS = 1_000;
const GUARD = fileURLToPath(new URL("../../lib/mongo/mongod-guard.mjs", import.meta.url));

/** One mongod of a replica set: a process that can die, hang and come back on the same data and port. */
class MongodMember {
  readonly address: string;
  /** When it was killed, frozen or deposed. */
  readonly interruptedAt: Date[] = [];
  readonly #folder: string;
  readonly #command: string;
  readonly #port: number;
  #process: ChildProcess | undefined;
  #client: MongoClient | undefined;

  private constructor(options: { command: string; port: number }) {
    this.#command = options.command;
    this.#port = options.port;
    this.#folder = mkdtempSync(join(tmpdir(), "faults-mongod-"));
    this.address = `127.0.0.1:${options.port}`;
  }

  static async launch(): Promise<MongodMember> {
    const { path } = await ensureMongod();
    const member = new MongodMember({ command: path, port: await freePort() });
    await member.start();
    return member;
  }

  /** Starts on the data that are there, and resolves once the process answers. */
  async start(): Promise<void> {
    const dbPath = join(this.#folder, "data");
    mkdirSync(dbPath, { recursive: true });
    this.#process = spawn(this.#command, this.#arguments(dbPath), { stdio: "ignore" });
    guard(this.#process);
    await this.#client?.close();
    this.#client = await until(() => connectTo(this.address), {
      what: `mongod at ${this.address}`,
    });
  }

  /** A connection to this member alone, whatever its state in the set. */
  get client(): MongoClient {
    if (!this.#client) throw new Error(`${this.address} was never started`);
    return this.#client;
  }

  /** Runs a command on this member, whatever its state. */
  command(command: Record<string, unknown>): Promise<Record<string, unknown>> {
    return this.client.db("admin").command(command);
  }

  get pid(): number {
    return this.#process?.pid ?? Number.NaN;
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    const dying = this.#process;
    if (!dying || dying.exitCode !== null || dying.signalCode !== null) return;
    this.interruptedAt.push(new Date());
    const exited = once(dying, "exit");
    dying.kill("SIGKILL");
    await exited;
  }

  /** The process keeps its connections and does nothing any more, until `resume`. */
  pause(): void {
    this.interruptedAt.push(new Date());
    this.#process?.kill("SIGSTOP");
  }

  /** A primary leaves its office to another member. */
  async stepDown(): Promise<void> {
    this.interruptedAt.push(new Date());
    await this.command({ replSetStepDown: 30, force: true });
  }

  resume(): void {
    this.#process?.kill("SIGCONT");
  }

  /** Ends the process and removes its data. */
  async remove(): Promise<void> {
    await this.#client?.close();
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** As the product starts its own mongod, with fail points and little memory. */
  #arguments(dbPath: string): string[] {
    return [
      ...["--dbpath", dbPath, "--port", String(this.#port), "--bind_ip", "127.0.0.1"],
      ...["--replSet", REPLICA_SET, "--storageEngine", "wiredTiger", "--nounixsocket"],
      ...["--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64"],
      ...["--logpath", join(this.#folder, "mongod.log"), "--logappend"],
      ...MONGOD_PARAMETERS,
      ...["--setParameter", "enableTestCommands=1"],
    ];
  }
}

/** A mongod cannot notice that whoever started it is gone: somebody has to end it then. */
function guard(mongod: ChildProcess): void {
  const watcher = spawn(process.execPath, [GUARD, String(mongod.pid)], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  mongod.once("exit", () => watcher.kill("SIGKILL"));
}

/** A client that fails to connect once is of no use any more: each try needs a new one. */
async function connectTo(address: string): Promise<MongoClient> {
  const client = new MongoClient(`mongodb://${address}/?directConnection=true`, {
    serverSelectionTimeoutMS: CONNECT_MS,
  });
  try {
    return await client.connect();
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Longer than anything that is tested takes: what is held is set free by `release`. */
const HOLD_MS = 120_000;
const ENTERED_WITHIN_MS = 30_000;

const setSchema = z.object({ count: z.number().int() });
const operationSchema = z.object({
  opid: z.union([z.number(), z.string()]),
  appName: z.string().optional(),
});

/** The next command of that kind hangs in the database, as if the client that sent it had stopped right there. */
export interface HeldCommand {
  commands: readonly string[];
  /** `database.collection`; any if left out. */
  namespace?: string;
  /** `appName` of the only client concerned; all if left out. */
  client?: string;
  /** The command is run after this time, if it has not been released before; two minutes if left out. */
  holdMs?: number;
}

/** A command that the database holds back. */
interface FailPoint {
  /** Resolves once the command has come and hangs. @returns `appName` of its client */
  entered(): Promise<string>;
  /** Resolves once the command does not hang any more. */
  left(): Promise<void>;
  /** It is not carried out any more, for its client is dead by now, and the next ones go through. */
  release(): Promise<void>;
}

/** Has the database hold back one command, to catch a client exactly there. */
export async function holdCommand(member: MongodMember, held: HeldCommand): Promise<FailPoint> {
  const { commands, namespace, client, holdMs = HOLD_MS } = held;
  const set = await member.command({
    configureFailPoint: "failCommand",
    mode: { times: 1 },
    data: {
      failCommands: [...commands],
      ...(namespace && { namespace }),
      blockConnection: true,
      blockTimeMS: holdMs,
      ...(client && { appName: client }),
    },
  });
  const { count } = setSchema.parse(set);
  return {
    async entered() {
      await member.command({
        waitForFailPoint: "failCommand",
        timesEntered: count + 1,
        maxTimeMS: ENTERED_WITHIN_MS,
      });
      return until(async () => (await heldOperations(member, held)).at(0)?.appName, {
        what: "the client of a held command",
      });
    },
    async left() {
      await until(async () => (await heldOperations(member, held)).length === 0, {
        what: "a held command to end",
      });
    },
    async release() {
      // Switching the fail point off waits for whom it holds, so those go first.
      for (const { opid } of await heldOperations(member, held)) {
        await member.command({ killOp: 1, op: opid });
      }
      await member.command({ configureFailPoint: "failCommand", mode: "off" });
    },
  };
}

async function heldOperations(member: MongodMember, held: HeldCommand) {
  const { commands, namespace, client } = held;
  const subject = namespace ? namespace.slice(namespace.indexOf(".") + 1) : { $exists: true };
  const found = await member.client
    .db("admin")
    .aggregate([
      { $currentOp: { allUsers: true, localOps: true } },
      {
        $match: {
          $or: commands.map((command) => ({ [`command.${command}`]: subject })),
          ...(client && { appName: client }),
        },
      },
    ])
    .toArray();
  return z.array(operationSchema).parse(found);
}
