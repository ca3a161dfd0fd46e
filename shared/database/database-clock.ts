/** Often enough to follow another primary, or a system that slept, soon. */
const MEASURE_INTERVAL_MS = 5_000;

interface ClockSource {
  /** The time of the database. */
  readTime: () => Promise<Date>;
  /** Milliseconds that never jump, whatever happens to the clock of this machine. */
  monotonicMs?: () => number;
}

/**
 * The clock of the database, as this process knows it. It is measured every few seconds and runs by the monotonic clock in
 * between, so the clock of this machine plays no part. It is off by less than a round trip to the database. Where that is
 * too much, as for locks, the database itself decides, with `$$NOW`.
 */
export class DatabaseClock {
  readonly #readTime: () => Promise<Date>;
  readonly #monotonicMs: () => number;
  /** Time of the database less monotonic time. */
  #offsetMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #measuring: Promise<void> | undefined;

  private constructor({ readTime, monotonicMs = () => performance.now() }: ClockSource) {
    this.#readTime = readTime;
    this.#monotonicMs = monotonicMs;
  }

  /** @throws what `readTime` throws */
  static async start(source: ClockSource): Promise<DatabaseClock> {
    const clock = new DatabaseClock(source);
    const { least, most } = await clock.#readOffset();
    clock.#offsetMs = (least + most) / 2;
    // During an outage the clock goes on as it is. Who needs the database reports the outage.
    const measure = () => void clock.measure().catch(() => undefined);
    clock.#timer = setInterval(measure, MEASURE_INTERVAL_MS).unref();
    return clock;
  }

  now = (): Date => new Date(this.#monotonicMs() + this.#offsetMs);

  /** Corrects the clock as far as it is certainly wrong. A slow reply says little and changes little. */
  measure(): Promise<void> {
    this.#measuring ??= this.#readOffset()
      .then(({ least, most }) => {
        this.#offsetMs = Math.min(Math.max(this.#offsetMs, least), most);
      })
      .finally(() => {
        this.#measuring = undefined;
      });
    return this.#measuring;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The database read its clock after the request was sent and before the reply came. It leaves out parts of a millisecond. */
  async #readOffset(): Promise<{ least: number; most: number }> {
    const sentMs = this.#monotonicMs();
    const time = (await this.#readTime()).getTime();
    return { least: time - this.#monotonicMs(), most: time + 1 - sentMs };
  }
}
