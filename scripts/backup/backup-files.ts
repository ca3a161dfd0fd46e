import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { CliError } from "../lib/cli.ts";

/** The key of the other files, encrypted with the passphrase. Deriving a key from that takes a second, so it is done once. */
const KEY_FILE = "key.age";

export const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

type Chunks = AsyncIterable<Uint8Array>;

/** With a passphrase, the files are encrypted. */
export interface BackupFolder {
  folder: string;
  passphrase?: string | undefined;
  /** Logarithm of the cost of guessing a passphrase; 18 by default, about a second. */
  scryptWorkFactor?: number;
}

export interface BackupWriter {
  write(name: string, chunks: Chunks): Promise<void>;
}

export interface BackupReader {
  read(name: string): Chunks;
}

/** Creates the folder. Encrypted files have the format of age (age-encryption.org). */
export async function createBackupFolder({
  folder,
  passphrase,
  scryptWorkFactor,
}: BackupFolder): Promise<BackupWriter> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  const create = (name: string) =>
    createWriteStream(join(folder, name), { mode: FILE_MODE, flags: "wx" });
  if (passphrase === undefined) {
    return { write: (name, chunks) => pipeline(chunks, create(name)) };
  }
  const identity = await generateX25519Identity();
  const keyEncrypter = new Encrypter();
  keyEncrypter.setPassphrase(passphrase);
  if (scryptWorkFactor) keyEncrypter.setScryptWorkFactor(scryptWorkFactor);
  const key = await keyEncrypter.encrypt(`${identity}\n`);
  await writeFile(join(folder, KEY_FILE), key, { mode: FILE_MODE });
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  return {
    async write(name, chunks) {
      await pipeline(await encrypter.encrypt(toWebStream(chunks)), create(`${name}.age`));
    },
  };
}

/** @throws CliError if the passphrase does not fit */
export async function openBackupFolder({
  folder,
  passphrase,
}: BackupFolder): Promise<BackupReader> {
  const open = (name: string) => createReadStream(join(folder, name));
  if (!existsSync(join(folder, KEY_FILE))) {
    if (passphrase === undefined) return { read: open };
    throw new CliError(
      `${folder} holds no encrypted backup. Unset BACKUP_PASSPHRASE if it should not.`,
    );
  }
  if (passphrase === undefined) {
    throw new CliError("The backup is encrypted: set BACKUP_PASSPHRASE.");
  }
  const decrypter = new Decrypter();
  decrypter.addIdentity(await readIdentity(folder, passphrase));
  return {
    async *read(name) {
      yield* await decrypter.decrypt(toWebStream(open(`${name}.age`)));
    },
  };
}

async function readIdentity(folder: string, passphrase: string): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return (await decrypter.decrypt(await readFile(join(folder, KEY_FILE)), "text")).trim();
  } catch (cause) {
    throw new CliError(`BACKUP_PASSPHRASE is wrong, or ${KEY_FILE} was changed.`, { cause });
  }
}

/** Of the type that age takes, other than `ReadableStream.from`. */
function toWebStream(chunks: Chunks): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
