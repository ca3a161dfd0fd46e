import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import type { MongoClient } from "mongodb";
import { z } from "zod";
import { directClient, ensureMongod, REPLICA_SET, spawnMongod } from "../../lib/mongo/mongod.ts";
import { until } from "./until.ts";

const DATABASE = "faults";

/** Long enough for an election after a primary was killed, which MongoDB starts after 10 s. */
const ELECTION_MS = 40_000;

export class ReplicaSet {
  readonly members: readonly MongodMember[];

  private constructor(members: readonly MongodMember[]) {
    this.members = members;
  }

  static async launch(count: 1 | 3): Promise<ReplicaSet> {
    const { path } = await ensureMongod();
    const ports = await Promise.all(Array.from({ length: count }, freePort));
    const members = ports.map((port) => new MongodMember(path, port));
    await Promise.all(members.map((member) => member.start()));
    const set = new ReplicaSet(members);
    const config = members.map(({ address }, _id) => ({ _id, host: address }));
    await members[0]?.command({ replSetInitiate: { _id: REPLICA_SET, members: config } });
    await set.primary();
    return set;
  }

  /** Address for a client, which fail points and the database's logs identify by `appName`. */
  uri(appName: string): string {
    const hosts = this.members.map(({ address }) => address).join(",");
    return `mongodb://${hosts}/${DATABASE}?replicaSet=${REPLICA_SET}&appName=${appName}`;
  }

  /** Waits for the member that takes writes; `besides` one that no longer does. */
  primary(besides?: MongodMember): Promise<MongodMember> {
    const others = this.members.filter((member) => member !== besides);
    return until(
      async () => {
        const roles = await Promise.all(others.map((member) => member.role().catch(() => null)));
        return others[roles.indexOf("primary")];
      },
      { what: "a primary", withinMs: ELECTION_MS },
    );
  }

  async remove(): Promise<void> {
    await Promise.all(this.members.map((member) => member.remove()));
  }
}

const MEMBER_ARGUMENTS = [
  "--wiredTigerCacheSizeGB=0.25",
  "--oplogSize=64",
  "--setParameter=enableTestCommands=1",
];

/** One mongod of a replica set, which can be killed, suspended and started again on the same data and port. */
class MongodMember {
  readonly address: string;
  readonly client: MongoClient;
  /** Times at which it was killed, suspended or stepped down. */
  readonly interruptedAt: Date[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "faults-mongod-"));
  readonly #command: string;
  readonly #port: number;
  #process: ChildProcess | undefined;

  constructor(command: string, port: number) {
    this.#command = command;
    this.#port = port;
    this.address = `127.0.0.1:${port}`;
    this.client = directClient(port);
  }

  async start(): Promise<void> {
    this.#process = spawnMongod({
      command: this.#command,
      dbPath: join(this.#folder, "data"),
      port: this.#port,
      args: MEMBER_ARGUMENTS,
    });
    await this.command({ ping: 1 });
  }

  command(command: Record<string, unknown>): Promise<Record<string, unknown>> {
    return this.client.db("admin").command(command);
  }

  async role(): Promise<"primary" | "secondary" | null> {
    const { isWritablePrimary, secondary } = await this.command({ hello: 1 });
    if (isWritablePrimary === true) return "primary";
    return secondary === true ? "secondary" : null;
  }

  get pid(): number {
    return this.#process?.pid ?? Number.NaN;
  }

  async kill(): Promise<void> {
    const mongod = this.#process;
    if (!mongod || mongod.exitCode !== null || mongod.signalCode !== null) return;
    this.interruptedAt.push(new Date());
    const exited = once(mongod, "exit");
    mongod.kill("SIGKILL");
    await exited;
  }

  /** Stops the process without closing its connections, until `resume`. */
  pause(): void {
    this.interruptedAt.push(new Date());
    this.#process?.kill("SIGSTOP");
  }

  resume(): void {
    this.#process?.kill("SIGCONT");
  }

  async stepDown(): Promise<void> {
    this.interruptedAt.push(new Date());
    await this.command({ replSetStepDown: 30, force: true });
  }

  async remove(): Promise<void> {
    await this.client.close();
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Longer than any test takes: `release` ends it. */
const HOLD_MS = 120_000;
const ENTER_TIMEOUT_MS = 30_000;

const failPointSchema = z.object({ count: z.number().int() });
const operationSchema = z.object({
  opid: z.union([z.number(), z.string()]),
  appName: z.string().optional(),
});

/** The next matching command hangs in the database, as if its client had stopped at that point. */
export interface HeldCommand {
  command: string;
  collection?: string;
  client?: string;
  /** After this time the command is run unless it was released. */
  holdMs?: number;
  /** As many matching commands are run before; then all are held. */
  skip?: number;
}

/** Makes the database hold back one command, to interrupt its client at that point. */
export async function holdCommand(member: MongodMember, held: HeldCommand) {
  const { command, collection, client, holdMs = HOLD_MS, skip } = held;
  const set = await member.command({
    configureFailPoint: "failCommand",
    mode: skip === undefined ? { times: 1 } : { skip },
    data: {
      failCommands: [command],
      ...(collection && { namespace: `${DATABASE}.${collection}` }),
      blockConnection: true,
      blockTimeMS: holdMs,
      ...(client && { appName: client }),
    },
  });
  const timesEntered = failPointSchema.parse(set).count + 1;
  const operations = () => findOperations(member, held);
  return {
    /** Resolves with the client's `appName` once the command hangs. */
    async entered(): Promise<string> {
      const maxTimeMS = ENTER_TIMEOUT_MS;
      await member.command({ waitForFailPoint: "failCommand", timesEntered, maxTimeMS });
      return until(async () => (await operations())[0]?.appName, { what: "a held command" });
    },
    left: () =>
      until(async () => (await operations()).length === 0, { what: "a held command to end" }),
    /** Cancels the command, whose client was killed, and lets later ones through. */
    async release(): Promise<void> {
      // Switching the fail point off waits for the commands that it holds, so those go first.
      for (const { opid } of await operations()) await member.command({ killOp: 1, op: opid });
      await member.command({ configureFailPoint: "failCommand", mode: "off" });
    },
  };
}

async function findOperations(member: MongodMember, { command, collection, client }: HeldCommand) {
  const filter = {
    [`command.${command}`]: collection ?? { $exists: true },
    ...(client && { appName: client }),
  };
  const found = await member.client
    .db("admin")
    .aggregate([{ $currentOp: { allUsers: true, localOps: true } }, { $match: filter }])
    .toArray();
  return z.array(operationSchema).parse(found);
}

interface ServiceSlotOptions {
  name: string;
  kind: "server" | "worker";
  env: Record<string, string>;
}

/** The place of one server or worker, whose process is killed and replaced by another one. */
export class ServiceSlot {
  readonly name: string;
  readonly #options: ServiceSlotOptions;
  readonly #processes: SpawnedService[] = [];
  /** Times at which it was killed, stopped or suspended. */
  readonly interruptedAt: Date[] = [];

  constructor(options: ServiceSlotOptions) {
    this.name = options.name;
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#processes.push(await spawnService(this.#options.kind, this.#options.env));
  }

  async kill(): Promise<void> {
    this.interruptedAt.push(new Date());
    await this.#processes.at(-1)?.kill();
  }

  get pid(): number {
    return this.#processes.at(-1)?.pid ?? Number.NaN;
  }

  get lines(): string[] {
    return this.#processes.flatMap(({ lines }) => lines);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#options.env.API_PORT}`;
  }

  async stop(): Promise<number | null | undefined> {
    this.interruptedAt.push(new Date());
    return this.#processes.at(-1)?.stop();
  }

  /** Stops the process without closing its connections, until `resume`. */
  suspend(): void {
    this.interruptedAt.push(new Date());
    process.kill(this.pid, "SIGSTOP");
  }

  resume(): void {
    process.kill(this.pid, "SIGCONT");
  }
}
