import { IMAGE_TYPES } from "@shared/contract/files.ts";
import type { UploadedFile } from "@shared/contract/routes/define-route.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { z } from "zod";
import { malformedRequest, unavailable } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";
import {
  type DecoderLimits,
  type DecoderOutcome,
  DecoderProcess,
  type DecoderTask,
} from "./decoder-process.ts";
import { FairQueue } from "./fair-queue.ts";

/** Most pictures, such as screenshots in 4K. An upload of another user waits for one of them at most. */
const QUICK: DecoderLimits = {
  maxPixels: 8_300_000,
  cpuMs: 1_000,
  timeoutMs: 3_000,
  memoryKib: 76_000,
  images: 50,
  niceness: 0,
};

/** Those that are too large for the quick one, or take too long. Both together stay near 400 MB resident. */
const THOROUGH: DecoderLimits = {
  maxPixels: Number.POSITIVE_INFINITY,
  cpuMs: 10_000,
  timeoutMs: 10_000,
  memoryKib: 330_000,
  images: 1,
  niceness: 10,
};

/** An upload that waits longer is answered with 503. */
const MAX_WAIT_MS = 30_000;

const bytesSchema = z.instanceof(Uint8Array).transform((bytes) => Buffer.from(bytes));

const imageSchema = z.object({ bytes: bytesSchema, contentType: z.enum(IMAGE_TYPES) });
export type SanitizedImage = z.infer<typeof imageSchema>;

const rasterSchema = z.object({ width: z.int(), height: z.int(), pixels: bytesSchema });
/** An image to compare: grey levels, without frames of one color. */
export type Raster = z.infer<typeof rasterSchema>;

const imageResultSchema = z.object({ image: imageSchema });
const rasterResultSchema = z.object({ raster: rasterSchema });
const bothResultSchema = z.object({ image: imageSchema, raster: rasterSchema });

/** What decoding takes, very roughly. */
const MS_PER_MIB = 100;

/** What waits for a process. */
interface Job {
  file: Pick<UploadedFile, "size" | "read" | "isAbandoned">;
  /** Who takes turns with others. */
  user: string;
  task: DecoderTask;
  maxWaitMs: number;
}

export interface ImageDeps extends ServerDeps {
  images: ImageDecoder;
}

/**
 * Decodes images in two processes. Uploads are encoded again, so that only their pixels remain: upright, and at most 2,560
 * pixels per side, or 700 pixels wide. Next is the user who has had the least time.
 */
export class ImageDecoder {
  readonly #quick = new Lane(QUICK);
  readonly #thorough = new Lane(THOROUGH);

  /** @throws AppError not-an-image, file-too-large, unavailable */
  async sanitize(file: UploadedFile, user: string): Promise<SanitizedImage> {
    const result = await this.#run({ file, user, task: "image", maxWaitMs: MAX_WAIT_MS });
    return imageResultSchema.parse(result).image;
  }

  /** As `sanitize`, with the raster of the result, in one turn. */
  async sanitizeToCompare(
    file: UploadedFile,
    user: string,
  ): Promise<{ image: SanitizedImage; raster: Raster }> {
    const task = "image-and-raster";
    return bothResultSchema.parse(await this.#run({ file, user, task, maxWaitMs: MAX_WAIT_MS }));
  }

  /** Of a stored image; it waits for as long as it takes. */
  async readRaster(image: Uint8Array): Promise<Raster> {
    const read = () => Promise.resolve(image);
    const file = { size: image.length, read, isAbandoned: () => false };
    const job = { file, user: "stored images", task: "raster" as const };
    const result = await this.#run({ ...job, maxWaitMs: Number.POSITIVE_INFINITY });
    return rasterResultSchema.parse(result).raster;
  }

  stop(): void {
    this.#quick.stop();
    this.#thorough.stop();
  }

  async #run(job: Job): Promise<unknown> {
    const first = await this.#quick.decode(job);
    const isDone = !("refusal" in first) || FINAL.includes(first.refusal);
    const outcome = isDone ? first : await this.#thorough.decode(job);
    if ("refusal" in outcome) throw REFUSALS[outcome.refusal]();
    return outcome.result;
  }
}

type Refusal = Extract<DecoderOutcome, { refusal: unknown }>["refusal"];

/** Refusals that another process would repeat. */
const FINAL: readonly Refusal[] = [
  "not-an-image",
  "side-too-long",
  "too-many-pixels",
  "too-large-for-passes",
];

const tooLarge = (detail: string) => () => new AppError("file-too-large", detail);

const REFUSALS: Record<Refusal, () => AppError> = {
  "not-an-image": () => new AppError("not-an-image", "The file is not a PNG, JPEG or WebP image."),
  "too-many-pixels": tooLarge("The image has too many pixels. Use at most 64 million."),
  "side-too-long": tooLarge("The image is too long. Use at most 20,000 pixels on each side."),
  "too-large-for-passes": tooLarge(
    "A progressive or interlaced image takes too much memory at this size. Save it without that option, or smaller.",
  ),
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

  decode(job: Job): Promise<DecoderOutcome> {
    const addedMs = performance.now();
    return new Promise((resolve, reject) => {
      const decode = () => this.#decodeNow(job, addedMs).then(resolve, reject);
      this.#waiting.add(job.user, decode, (job.file.size / 1_048_576) * MS_PER_MIB);
      void this.#work();
    });
  }

  stop(): void {
    this.#process.stop();
  }

  async #decodeNow(job: Job, addedMs: number): Promise<DecoderOutcome> {
    const { file, task, maxWaitMs } = job;
    if (file.isAbandoned()) throw malformedRequest();
    if (performance.now() - addedMs > maxWaitMs) throw unavailable();
    return this.#process.decode(await file.read(), task);
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#waiting.take(); next; next = this.#waiting.take()) {
      const startedMs = performance.now();
      await next.item();
      this.#waiting.charge(next.user, performance.now() - startedMs);
    }
    this.#isBusy = false;
  }
}
