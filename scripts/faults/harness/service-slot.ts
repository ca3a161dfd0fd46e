import { type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";

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
