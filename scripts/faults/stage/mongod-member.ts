import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "@shared/testing/free-port.ts";
import { MongoClient } from "mongodb";
import { ensureMongod } from "../../lib/ensure-mongod.mjs";
import { MONGOD_PARAMETERS } from "../../lib/mongod-parameters.mjs";
import { REPLICA_SET } from "../../lib/replica-set.mjs";
import { until } from "../until.ts";

const CONNECT_MS = 1_000;
const GUARD = fileURLToPath(new URL("../../lib/mongod-guard.mjs", import.meta.url));

/** One mongod of a replica set: a process that can die, hang and come back on the same data and port. */
export class MongodMember {
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
