import { REPLICA_SET } from "../../lib/replica-set.mjs";
import { until } from "../until.ts";
import { MongodMember } from "./mongod-member.ts";

/** Long enough for an election after the death of a primary, which MongoDB begins after 10 s. */
const ELECTION_MS = 40_000;

/** A real replica set of one member or of three. */
export class ReplicaSet {
  readonly members: readonly MongodMember[];
  readonly #database: string;

  private constructor(members: readonly MongodMember[], database: string) {
    this.members = members;
    this.#database = database;
  }

  static async launch(options: { members: 1 | 3; database: string }): Promise<ReplicaSet> {
    const members = await Promise.all(
      Array.from({ length: options.members }, () => MongodMember.launch()),
    );
    const set = new ReplicaSet(members, options.database);
    await members[0]?.command({
      replSetInitiate: {
        _id: REPLICA_SET,
        members: members.map(({ address }, _id) => ({ _id, host: address })),
      },
    });
    await set.primary();
    return set;
  }

  /** Address for a client, which the fail points and the logs of the database know by `appName`. */
  uri(appName: string): string {
    const hosts = this.members.map(({ address }) => address).join(",");
    return `mongodb://${hosts}/${this.#database}?replicaSet=${REPLICA_SET}&appName=${appName}`;
  }

  /** The member that takes writes, as soon as there is one; `besides` one that has just ceased to be it. */
  primary(besides?: MongodMember): Promise<MongodMember> {
    const others = this.members.filter((member) => member !== besides);
    return until(
      async () => {
        for (const member of others) if (await isPrimary(member)) return member;
        return;
      },
      { what: "a primary", withinMs: ELECTION_MS },
    );
  }

  /** All members are primary or secondary. */
  async healthy(): Promise<void> {
    await Promise.all(
      this.members.map((member) =>
        until(
          async () => {
            const hello = await member.command({ hello: 1 });
            return hello.isWritablePrimary === true || hello.secondary === true;
          },
          { what: `${member.address} to be well`, withinMs: ELECTION_MS },
        ),
      ),
    );
  }

  async remove(): Promise<void> {
    await Promise.all(this.members.map((member) => member.remove()));
  }
}

async function isPrimary(member: MongodMember): Promise<boolean> {
  try {
    return (await member.command({ hello: 1 })).isWritablePrimary === true;
  } catch {
    return false;
  }
}
