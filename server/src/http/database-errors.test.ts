import type { BulkWriteResult, TopologyDescription } from "mongodb";
import mongoose from "mongoose";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { duplicateField, isDatabaseUnavailable } from "./database-errors.ts";

const {
  MongoBulkWriteError,
  MongoClientBulkWriteExecutionError,
  MongoClientClosedError,
  MongoExpiredSessionError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoUnexpectedServerResponseError,
  MongoWriteConcernError,
} = mongoose.mongo;

const withCode = (code: number) => new MongoServerError({ code, errmsg: "see the code" });
const withLabel = (label: string) => new MongoServerError({ errorLabels: [label] });
const closedSocket = (code: string) => Object.assign(new Error(`write ${code}`), { code });
const noServer = new MongoServerSelectionError(
  "connect ECONNREFUSED",
  z.custom<TopologyDescription>().parse({}),
);
const noResult = z.custom<BulkWriteResult>().parse({});
/** As the driver wraps what ends a bulk write. */
const inBulk = (error: Error) => new MongoBulkWriteError(error, noResult);
const wrapped = (cause: unknown) => new Error("could not be stored", { cause });

const UNAVAILABLE: readonly [string, unknown][] = [
  ["a lost connection", new MongoNetworkError("connection closed")],
  ["a connection that is silent", new MongoNetworkTimeoutError("timed out")],
  ["no server", noServer],
  ["no server at the first connection", new mongoose.Error.MongooseServerSelectionError("none")],
  ["a client that is not connected", new MongoNotConnectedError("not connected")],
  ["a closed client", new MongoClientClosedError()],
  ["a closed topology", new MongoTopologyClosedError()],
  ["a closed server", new MongoServerClosedError()],
  ["an ended session", new MongoExpiredSessionError()],
  ["an operation that took too long", new MongoOperationTimeoutError("timed out")],
  ["a server that answers nonsense", new MongoUnexpectedServerResponseError("no response")],
  [
    "a write that was not replicated in time",
    new MongoWriteConcernError({ ok: 1, writeConcernError: { code: 64, errmsg: "timed out" } }),
  ],
  ...[
    ["RetryableWriteError", "a write that can be tried again"],
    ["TransientTransactionError", "a transaction that can be tried again"],
    ["UnknownTransactionCommitResult", "a commit without an answer"],
    ["PoolRequestedRetry", "a pool that was cleared"],
    ["SystemOverloadedError", "an overloaded server"],
  ].map(([label = "", what = ""]): [string, unknown] => [what, withLabel(label)]),
  ...[43, 50, 64, 91, 189, 251, 262, 10_107, 11_600, 11_602, 13_435, 13_436].map(
    (code): [string, unknown] => [`a server that answers with code ${code}`, withCode(code)],
  ),
  ["a socket that was just closed", closedSocket("EPIPE")],
  ["a bulk write that lost its connection", inBulk(new MongoNetworkError("connection closed"))],
  ["a bulk write that found no server", inBulk(noServer)],
  ["a bulk write on a server that shuts down", inBulk(withCode(11_600))],
  ["a bulk write on a socket that was just closed", inBulk(closedSocket("EPIPE"))],
  ["a bulk write of a closed client", inBulk(new MongoClientClosedError())],
  ["a bulk write of an ended session", inBulk(new MongoExpiredSessionError())],
  [
    "a bulk write that was not replicated in time",
    new MongoBulkWriteError({ code: 64, message: "timed out", writeErrors: [] }, noResult),
  ],
  [
    "a bulk write over several collections that found no server",
    Object.assign(new MongoClientBulkWriteExecutionError("failed"), { cause: noServer }),
  ],
  ["another error that comes from one of these", wrapped(wrapped(noServer))],
  ["several errors with one of these", new AggregateError([new Error("first"), noServer])],
];

describe("isDatabaseUnavailable", () => {
  it.each(UNAVAILABLE)("is true for %s", (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it.each([
    ["a mistake in a query", withCode(2)],
    ["a duplicate key", withCode(11_000)],
    [
      "a duplicate key in a bulk write",
      new MongoBulkWriteError({ code: 11_000, message: "E11000", writeErrors: [] }, noResult),
    ],
    ["a transaction that is misused", new mongoose.mongo.MongoTransactionError("in progress")],
    ["invalid data", new mongoose.Error.ValidationError()],
    ["a bug", new TypeError("x is not a function")],
    ["a bug with a cause", wrapped(new TypeError("x is not a function"))],
    ["a code of something else than the database", Object.assign(new Error("no"), { code: 91 })],
    ["a lost connection to something else", wrapped(closedSocket("ECONNRESET"))],
    ["a missing file", Object.assign(new Error("no such file"), { code: "ENOENT" })],
    ["what is no error", "MongoNetworkError"],
    ["nothing", undefined],
  ])("is false for %s", (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });

  it("ends for errors that come from each other", () => {
    const error = wrapped(undefined);
    error.cause = wrapped(error);
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});

describe("duplicateField", () => {
  it("names the field of the index that refused", () => {
    const error = new MongoServerError({ code: 11_000, keyPattern: { emailKey: 1 } });
    expect(duplicateField(error)).toBe("emailKey");
  });

  it("is undefined for anything else", () => {
    expect(duplicateField(new MongoServerError({ code: 112 }))).toBeUndefined();
    expect(duplicateField(new Error("E11000 duplicate key"))).toBeUndefined();
    const inBulkWrite = { code: 11_000, message: "E11000", writeErrors: [] };
    expect(duplicateField(new MongoBulkWriteError(inBulkWrite, noResult))).toBeUndefined();
  });
});
