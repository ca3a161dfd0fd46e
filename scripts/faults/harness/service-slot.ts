import { type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";

/** The place of one server or worker: whoever runs there may die, and another one is started in its place. */
export class ServiceSlot {
  readonly name: string;
  readonly kind: "server" | "worker";
  readonly #env: Record<string, string>;
  readonly #lives: SpawnedService[] = [];
  /** When it was killed, stopped or suspended. */
  readonly interruptedAt: Date[] = [];

  constructor(options: { name: string; kind: "server" | "worker"; env: Record<string, string> }) {
    this.name = options.name;
    this.kind = options.kind;
    this.#env = options.env;
  }

  /** Starts the part and waits until it says that it is ready. */
  async start(): Promise<void> {
    this.#lives.push(await spawnService(this.kind, this.#env));
  }

  /** `kill -9`; nothing if it was never started. */
  async kill(): Promise<void> {
    this.interruptedAt.push(new Date());
    await this.#lives.at(-1)?.kill();
  }

  /** Process id of the present life. */
  get pid(): number {
    return this.#current.pid;
  }

  /** Process ids of the lives before it. */
  get formerPids(): number[] {
    return this.#lives.slice(0, -1).map(({ pid }) => pid);
  }

  /** All that was ever logged here. */
  get lines(): string[] {
    return this.#lives.flatMap(({ lines }) => lines);
  }

  /** Where a server listens. */
  get url(): string {
    return `http://127.0.0.1:${this.#env.API_PORT}`;
  }

  /** SIGTERM; the exit code. */
  stop(): Promise<number | null> {
    this.interruptedAt.push(new Date());
    return this.#current.stop();
  }

  /** SIGSTOP: the process does nothing more until `resume`, and its connections stay open. */
  suspend(): void {
    this.interruptedAt.push(new Date());
    process.kill(this.pid, "SIGSTOP");
  }

  /** SIGCONT. */
  resume(): void {
    process.kill(this.pid, "SIGCONT");
  }

  get #current(): SpawnedService {
    const part = this.#lives.at(-1);
    if (!part) throw new Error(`${this.name} was never started`);
    return part;
  }
}
