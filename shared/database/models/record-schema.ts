import { type Connection, type Model, Schema, type SchemaDefinition } from "mongoose";

export const { ObjectId } = Schema.Types;

/**
 * Schema of a collection. The record's type declares its fields, and TypeScript checks what is written.
 * @param fields those that mongoose has to cast, such as ids that filters may give as text
 */
export const recordSchema = <Stored>(collection: string, fields: SchemaDefinition = {}) =>
  new Schema<Stored>(fields, { collection, strict: false, minimize: false, versionKey: false });

export const modelOf = <Stored>(connection: Connection, schema: Schema<Stored>): Model<Stored> =>
  connection.model<Stored>(schema.get("collection") ?? "", schema);
