import type { ClientSession } from "mongoose";

/** At least one. */
export type NonEmpty<Item> = readonly [Item, ...Item[]];

interface Batch<Input, Output> {
  inputs: Input[];
  outputs: readonly Output[];
}

/**
 * A write that many units of work have in common, made once for all that share a transaction: it then costs a few
 * commands instead of a few for each unit.
 */
export class BatchedWrite<Input, Output> {
  readonly #write: (session: ClientSession, inputs: NonEmpty<Input>) => Promise<readonly Output[]>;
  readonly #batches = new WeakMap<ClientSession, Batch<Input, Output>>();

  /** @param write returns one output for each input, in the same order */
  constructor(
    write: (session: ClientSession, inputs: NonEmpty<Input>) => Promise<readonly Output[]>,
  ) {
    this.#write = write;
  }

  /**
   * Adds an input to the batch of a transaction.
   * @returns reads its output; it throws an Error before the batch has run
   */
  add(session: ClientSession, input: Input): () => Output {
    const batch = this.#batches.get(session) ?? { inputs: [], outputs: [] };
    this.#batches.set(session, batch);
    const index = batch.inputs.push(input) - 1;
    return () => {
      const output = batch.outputs[index];
      if (output === undefined) throw new Error("The batch has not run.");
      return output;
    };
  }

  /** Writes the batch of a transaction. */
  async run(session: ClientSession): Promise<void> {
    const batch = this.#batches.get(session);
    const [first, ...others] = batch?.inputs ?? [];
    if (batch && first !== undefined)
      batch.outputs = await this.#write(session, [first, ...others]);
  }
}
