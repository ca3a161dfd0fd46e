import { buffer } from "node:stream/consumers";
import { finished } from "node:stream/promises";
import { type ClientSession, mongo, type Types } from "mongoose";
import { type Database, nativeDb } from "./database.ts";

/** The GridFS bucket of each kind, and the first part of its address. */
export const FILE_KINDS = ["payment_proofs", "chart_uploads"] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** The bytes of one kind of file, in the database, so that all servers and workers can read them. */
export function fileStore({ connection }: Database, kind: FileKind) {
  const db = nativeDb(connection);
  const bucket = new mongo.GridFSBucket(db, { bucketName: kind });
  const files = db.collection<{ _id: Types.ObjectId }>(`${kind}.files`);
  const chunks = db.collection<{ files_id: Types.ObjectId; n: number }>(`${kind}.chunks`);

  return {
    async save({ id, filename, bytes }: { id: Types.ObjectId; filename: string; bytes: Buffer }) {
      const upload = bucket.openUploadStreamWithId(id, filename);
      upload.end(bytes);
      await finished(upload);
    },
    async read(id: Types.ObjectId) {
      const isThere = (await files.countDocuments({ _id: id }, { limit: 1 })) > 0;
      return isThere ? buffer(bucket.openDownloadStream(id)) : null;
    },
    /** Deletes files, and what an interrupted `save` left of them. */
    async remove(ids: readonly Types.ObjectId[], session?: ClientSession) {
      const options = session ? { session } : {};
      await files.deleteMany({ _id: { $in: [...ids] } }, options);
      await chunks.deleteMany({ files_id: { $in: [...ids] } }, options);
    },
    /** Ids of all files whose `save` started before this time, finished or not. */
    async *idsBefore(time: Date): AsyncGenerator<Types.ObjectId> {
      const end = mongo.ObjectId.createFromTime(Math.floor(time.getTime() / 1_000));
      for await (const { _id } of files.find({ _id: { $lt: end } })) yield _id;
      const unfinished = chunks.find({ files_id: { $lt: end }, n: 0 });
      for await (const chunk of unfinished.project({ files_id: 1 })) yield chunk.files_id;
    },
  };
}
