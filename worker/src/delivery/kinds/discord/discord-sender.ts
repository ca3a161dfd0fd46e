import { discord } from "@shared/contract/channel-kinds/discord.ts";
import { readBrand } from "@shared/domain/branding.ts";
import type { ChannelSender, KindDeps } from "../../channel-sender.ts";
import { describeMessage, readNamedSignals } from "../../describe-message.ts";
import { JSON_HEADERS, postPublicly } from "../../post-publicly.ts";
import { discordMessage, resultOfDiscord, waitingUrl } from "./discord-message.ts";

interface DiscordDeps extends Pick<KindDeps, "database" | "policy"> {
  settings: Pick<KindDeps["settings"], "CLIENT_ORIGIN">;
}

/** Posts messages to Discord, by the webhooks that users have made there. */
export const startDiscord = ({ database, policy, settings }: DiscordDeps): ChannelSender => ({
  async send(message, abort) {
    const url = waitingUrl(discord.target.parse(message.target).url);
    const signals = await readNamedSignals(database, message);
    const [origin = ""] = settings.CLIENT_ORIGIN;
    const described = describeMessage(message, signals, await readBrand(database));
    const body = JSON.stringify(discordMessage(described, origin));
    return postPublicly({ url, headers: JSON_HEADERS, body }, policy, abort, resultOfDiscord);
  },
});
