import type { ClientSession } from "mongoose";

/** Work under a transaction that is done before its changes are made. */
export interface StepRun {
  run(session: ClientSession): Promise<void>;
}

/** Several of them, at least one. */
export type Some<Input> = readonly [Input, ...Input[]];

/** How a step is done. */
interface StepWork<Input, Output> {
  /** For one alone, which may take fewer commands. */
  forOne(session: ClientSession, input: Input): Promise<Output>;
  /** Gives an output for each input, in their order. */
  forAll(session: ClientSession, inputs: Some<Input>): Promise<Output[]>;
}

interface Round<Input, Output> {
  keys: object[];
  inputs: Input[];
  outputs: WeakMap<object, { output: Output }>;
}

/**
 * What many changes of one transaction do alike, done for all of them at once: a crowd of them then costs a command or
 * two, and not one for each.
 */
export class SharedStep<Input extends object, Output> implements StepRun {
  readonly #work: StepWork<Input, Output>;
  readonly #rounds = new WeakMap<ClientSession, Round<Input, Output>>();

  constructor(work: StepWork<Input, Output>) {
    this.#work = work;
  }

  /**
   * Has the step done for `input` too, when the transaction runs it.
   * @param key any object that `outputFor` is asked with later
   */
  add(session: ClientSession, key: object, input: Input): this {
    const round = this.#rounds.get(session) ?? { keys: [], inputs: [], outputs: new WeakMap() };
    this.#rounds.set(session, round);
    round.keys.push(key);
    round.inputs.push(input);
    return this;
  }

  async run(session: ClientSession): Promise<void> {
    const round = this.#rounds.get(session);
    const [first, ...others] = round?.inputs ?? [];
    if (!round || !first) return;
    const outputs =
      others.length > 0
        ? await this.#work.forAll(session, [first, ...others])
        : [await this.#work.forOne(session, first)];
    for (const [index, output] of outputs.entries()) {
      const key = round.keys[index];
      if (key) round.outputs.set(key, { output });
    }
  }

  /** What came of it. @throws Error before the transaction has run the step, and for what was not added */
  outputFor(session: ClientSession, key: object): Output {
    const found = this.#rounds.get(session)?.outputs.get(key);
    if (!found) throw new Error("the step has not been run for this");
    return found.output;
  }
}
