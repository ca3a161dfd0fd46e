import { z } from "zod";
import { until } from "../until.ts";
import type { MongodMember } from "./mongod-member.ts";

/** Longer than anything that is tested takes: what is held is set free by `release`. */
const HOLD_MS = 120_000;
const ENTERED_WITHIN_MS = 30_000;

const setSchema = z.object({ count: z.number().int() });
const operationSchema = z.object({
  opid: z.union([z.number(), z.string()]),
  appName: z.string().optional(),
});

/** The next command of that kind hangs in the database, as if the client that sent it had stopped right there. */
export interface HeldCommand {
  commands: readonly string[];
  /** `database.collection`; any if left out. */
  namespace?: string;
  /** `appName` of the only client concerned; all if left out. */
  client?: string;
  /** The command is run after this time, if it has not been released before; two minutes if left out. */
  holdMs?: number;
}

/** A command that the database holds back. */
export interface FailPoint {
  /** Resolves once the command has come and hangs. @returns `appName` of its client */
  entered(): Promise<string>;
  /** Resolves once the command does not hang any more. */
  left(): Promise<void>;
  /** It is not carried out any more, for its client is dead by now, and the next ones go through. */
  release(): Promise<void>;
}

/** Has the database hold back one command, to catch a client exactly there. */
export async function holdCommand(member: MongodMember, held: HeldCommand): Promise<FailPoint> {
  const { commands, namespace, client, holdMs = HOLD_MS } = held;
  const set = await member.command({
    configureFailPoint: "failCommand",
    mode: { times: 1 },
    data: {
      failCommands: [...commands],
      ...(namespace && { namespace }),
      blockConnection: true,
      blockTimeMS: holdMs,
      ...(client && { appName: client }),
    },
  });
  const { count } = setSchema.parse(set);
  return {
    async entered() {
      await member.command({
        waitForFailPoint: "failCommand",
        timesEntered: count + 1,
        maxTimeMS: ENTERED_WITHIN_MS,
      });
      return until(async () => (await heldOperations(member, held)).at(0)?.appName, {
        what: "the client of a held command",
      });
    },
    async left() {
      await until(async () => (await heldOperations(member, held)).length === 0, {
        what: "a held command to end",
      });
    },
    async release() {
      // Switching the fail point off waits for whom it holds, so those go first.
      for (const { opid } of await heldOperations(member, held)) {
        await member.command({ killOp: 1, op: opid });
      }
      await member.command({ configureFailPoint: "failCommand", mode: "off" });
    },
  };
}

async function heldOperations(member: MongodMember, held: HeldCommand) {
  const { commands, namespace, client } = held;
  const subject = namespace ? namespace.slice(namespace.indexOf(".") + 1) : { $exists: true };
  const found = await member.client
    .db("admin")
    .aggregate([
      { $currentOp: { allUsers: true, localOps: true } },
      {
        $match: {
          $or: commands.map((command) => ({ [`command.${command}`]: subject })),
          ...(client && { appName: client }),
        },
      },
    ])
    .toArray();
  return z.array(operationSchema).parse(found);
}
