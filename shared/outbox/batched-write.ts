import type { ClientSession } from "mongoose";

/** A list of at least one item. */
export type NonEmpty<Item> = readonly [Item, ...Item[]];

interface Batch<Input, Output> {
  inputs: Input[];
  outputs: readonly Output[];
}

/** A write that many units of work need, made once for all units of a transaction to save commands. */
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
   * @returns the output for it, once the batch has run
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

  async run(session: ClientSession): Promise<void> {
    const batch = this.#batches.get(session);
    const [first, ...others] = batch?.inputs ?? [];
    if (batch && first !== undefined)
      batch.outputs = await this.#write(session, [first, ...others]);
  }
}
