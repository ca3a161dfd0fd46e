import type { Database } from "@shared/database/database.ts";

const LEASE_MS = 3_000;
const RENEW_INTERVAL_MS = 1_000;

/** A task that one worker does for all. If that one stops, another has it within 3 s. */
export class Lease {
  readonly #name: string;
  readonly #owner: string;
  readonly #leases: Database["leases"];
  /** By the monotonic clock, since when it is certainly ours. */
  #renewedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: { database: Database; name: string; owner: string }) {
    this.#leases = options.database.leases;
    this.#name = options.name;
    this.#owner = options.owner;
  }

  get isHeld(): boolean {
    return performance.now() - this.#renewedAtMs < LEASE_MS;
  }

  /** Takes it if it is free, and renews it in time. Returns whether this worker has it. */
  async hold(): Promise<boolean> {
    if (performance.now() - this.#renewedAtMs < RENEW_INTERVAL_MS) return true;
    if (!this.isHeld && (await this.#isTaken())) return false;
    const startedAt = performance.now();
    const isOurs = await this.#claim();
    this.#renewedAtMs = isOurs ? startedAt : Number.NEGATIVE_INFINITY;
    return isOurs;
  }

  async release(): Promise<void> {
    this.#renewedAtMs = Number.NEGATIVE_INFINITY;
    await this.#leases.deleteOne({ _id: this.#name, owner: this.#owner });
  }

  /** Most workers only read. */
  async #isTaken(): Promise<boolean> {
    const taken = { $and: [{ $gt: ["$expiresAt", "$$NOW"] }, { $ne: ["$owner", this.#owner] }] };
    return (await this.#leases.countDocuments({ _id: this.#name, $expr: taken })) > 0;
  }

  async #claim(): Promise<boolean> {
    const isFree = { $or: [{ $eq: ["$owner", this.#owner] }, { $lte: ["$expiresAt", "$$NOW"] }] };
    const expiresAt = { $add: ["$$NOW", LEASE_MS] };
    const claim = {
      owner: { $cond: [isFree, this.#owner, "$owner"] },
      expiresAt: { $cond: [isFree, expiresAt, "$expiresAt"] },
    };
    const options = { upsert: true, returnDocument: "after", updatePipeline: true } as const;
    const stored = await this.#leases
      .findOneAndUpdate({ _id: this.#name }, [{ $set: claim }], options)
      .lean();
    return stored?.owner === this.#owner;
  }
}
