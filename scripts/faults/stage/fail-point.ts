import { z } from "zod";
import type { MongodMember } from "./mongod-member.ts";

/** Longer than anything that is tested takes: what is held is set free by `release`. */
const HOLD_MS = 120_000;
const ENTERED_WITHIN_MS = 30_000;

const setSchema = z.object({ count: z.number().int() });
const operationSchema = z.object({ opid: z.union([z.number(), z.string()]) });

/** The next command of that kind hangs in the database, as if the client that sent it had stopped right there. */
export interface HeldCommand {
  commands: readonly string[];
  /** `database.collection` */
  namespace: string;
  /** `appName` of the only client concerned; all if left out. */
  client?: string;
}

/** A command that the database holds back. */
export interface FailPoint {
  /** The command has come and hangs. */
  entered(): Promise<void>;
  /** It is not carried out any more, for its client is dead by now, and the next ones go through. */
  release(): Promise<void>;
}

/** Has the database hold back one command, to catch a client exactly there. */
export async function holdCommand(member: MongodMember, held: HeldCommand): Promise<FailPoint> {
  const { commands, namespace, client } = held;
  const set = await member.command({
    configureFailPoint: "failCommand",
    mode: { times: 1 },
    data: {
      failCommands: [...commands],
      namespace,
      blockConnection: true,
      blockTimeMS: HOLD_MS,
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
    },
    async release() {
      // Switching the fail point off waits for whom it holds, so those go first.
      for (const opid of await heldOperations(member, held)) {
        await member.command({ killOp: 1, op: opid });
      }
      await member.command({ configureFailPoint: "failCommand", mode: "off" });
    },
  };
}

async function heldOperations(member: MongodMember, { commands, namespace }: HeldCommand) {
  const collection = namespace.slice(namespace.indexOf(".") + 1);
  const found = await member.client
    .db("admin")
    .aggregate([
      { $currentOp: { allUsers: true, localOps: true } },
      { $match: { $or: commands.map((command) => ({ [`command.${command}`]: collection })) } },
    ])
    .toArray();
  return z
    .array(operationSchema)
    .parse(found)
    .map(({ opid }) => opid);
}
