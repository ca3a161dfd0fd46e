import type { ImageType } from "@shared/contract/files.ts";
import type { UploadedFile } from "@shared/contract/routes/define-route.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { malformedRequest, unavailable } from "../../http/errors.ts";
import { type DecoderLimits, type DecoderOutcome, DecoderProcess } from "./decoder-process.ts";
import { FairQueue } from "./fair-queue.ts";

/** Most pictures, such as screenshots in 4K. An upload of another user waits for one of them at most. */
const QUICK: DecoderLimits = {
  maxPixels: 8_300_000,
  timeoutMs: 1_000,
  memoryKib: 85_000,
  images: 50,
  niceness: 0,
};

/** Those that are too large for the quick one, or take too long. Both together use at most 400 MB. */
const THOROUGH: DecoderLimits = {
  maxPixels: Number.POSITIVE_INFINITY,
  timeoutMs: 10_000,
  memoryKib: 330_000,
  images: 1,
  niceness: 10,
};

/** An upload that waits longer is answered with 503. */
const MAX_WAIT_MS = 30_000;

export interface SanitizedImage {
  bytes: Buffer;
  contentType: ImageType;
}

/**
 * Decodes and encodes uploaded images in two processes, so that only their pixels remain: upright, and at most 2,560 pixels
 * per side, or 700 pixels wide. Users take turns.
 */
export class ImageDecoder {
  readonly #quick = new Lane(QUICK);
  readonly #thorough = new Lane(THOROUGH);

  /** @throws AppError not-an-image, file-too-large, unavailable */
  async sanitize(file: UploadedFile, user: string): Promise<SanitizedImage> {
    const first = await this.#quick.decode(file, user);
    const isDone = "bytes" in first || FINAL.includes(first.refusal);
    const outcome = isDone ? first : await this.#thorough.decode(file, user);
    if ("refusal" in outcome) throw REFUSALS[outcome.refusal]();
    return { ...outcome, bytes: Buffer.from(outcome.bytes) };
  }

  stop(): void {
    this.#quick.stop();
    this.#thorough.stop();
  }
}

type Refusal = Extract<DecoderOutcome, { refusal: unknown }>["refusal"];

/** Refusals that another process would repeat. */
const FINAL: readonly Refusal[] = ["not-an-image", "side-too-long", "too-many-pixels"];

const tooLarge = (detail: string) => () => new AppError("file-too-large", detail);

const REFUSALS: Record<Refusal, () => AppError> = {
  "not-an-image": () => new AppError("not-an-image", "The file is not a PNG, JPEG or WebP image."),
  "too-many-pixels": tooLarge("The image has too many pixels. Use at most 64 million."),
  "side-too-long": tooLarge("The image is too long. Use at most 20,000 pixels on each side."),
  "too-costly": tooLarge(
    "The image takes too long to read, or too much memory. Use a smaller one.",
  ),
  "not-here": unavailable,
  killed: unavailable,
};

/** One process and the uploads that wait for it. */
class Lane {
  readonly #process: DecoderProcess;
  readonly #waiting = new FairQueue<() => Promise<void>>();
  #isBusy = false;

  constructor(limits: DecoderLimits) {
    this.#process = new DecoderProcess(limits);
  }

  decode(file: UploadedFile, user: string): Promise<DecoderOutcome> {
    const addedMs = performance.now();
    return new Promise((resolve, reject) => {
      this.#waiting.add(user, () => this.#decodeNow(file, addedMs).then(resolve, reject));
      void this.#work();
    });
  }

  stop(): void {
    this.#process.stop();
  }

  async #decodeNow(file: UploadedFile, addedMs: number): Promise<DecoderOutcome> {
    if (file.isAbandoned()) throw malformedRequest();
    if (performance.now() - addedMs > MAX_WAIT_MS) throw unavailable();
    return this.#process.decode(await file.read());
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#waiting.take(); next; next = this.#waiting.take()) await next();
    this.#isBusy = false;
  }
}
