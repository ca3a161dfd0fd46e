import { z } from "zod";

/** What Telegram answers: a result, or an error with its description. */
export type ChannelAnswer = { result: unknown } | { error: string };

const callSchema = z.object({
  chat_id: z.coerce.number(),
  user_id: z.number().optional(),
  message_id: z.number().optional(),
  text: z.string().min(1).max(4_096).optional(),
  creates_join_request: z.boolean().optional(),
  member_limit: z.number().optional(),
  expire_date: z.number().optional(),
});
type ChannelCall = z.infer<typeof callSchema>;

export interface ChannelPost {
  id: number;
  text: string;
  replyTo?: number;
  edits: number;
  atMs: number;
}

const ALL_RIGHTS = {
  can_post_messages: true,
  can_edit_messages: true,
  can_invite_users: true,
  can_restrict_members: true,
};

type Report = (update: object) => void;

/** A private channel of which the bot is an administrator. */
export class FakeTelegramChannel {
  readonly id: number;
  readonly members = new Set<number>();
  readonly admins = new Set<number>([900]);
  readonly banned = new Set<number>();
  readonly pending = new Set<number>();
  readonly declined: number[] = [];
  readonly posts: ChannelPost[] = [];
  readonly links: string[] = [];
  rights: Record<string, boolean> = { ...ALL_RIGHTS };
  /** True once posts are too old to be edited. */
  isOld = false;
  readonly #botId: number;
  readonly #report: Report;

  constructor(options: { id: number; botId: number; report: Report }) {
    this.id = options.id;
    this.#botId = options.botId;
    this.#report = options.report;
  }

  /** A person opens a link of the bot, which may have been made for another. */
  askToJoin(userId: number): void {
    if (this.banned.has(userId) || this.members.has(userId)) return;
    this.pending.add(userId);
    this.#report({ chat_join_request: { chat: this.#chat(), from: person(userId), date: 0 } });
  }

  /** An administrator adds somebody, past the bot. */
  add(userId: number): void {
    this.#change(userId, "left", "member", 900);
  }

  leave(userId: number): void {
    this.#change(userId, "member", "left", userId);
  }

  post(text: string, replyTo?: number): ChannelPost {
    const replied = replyTo !== undefined && { replyTo };
    const id = this.posts.length + 1;
    const post = { id, text, edits: 0, atMs: performance.now(), ...replied };
    this.posts.push(post);
    return post;
  }

  /** Null for a method that is not about channels. */
  call(method: string, body: unknown): ChannelAnswer | null {
    const handler = METHODS[method];
    if (!handler) return null;
    const call = callSchema.parse(body);
    if (call.chat_id !== this.id) return { error: "Bad Request: chat not found" };
    return handler(this, call);
  }

  #chat = () => ({ id: this.id, type: "channel", title: "Signals" });

  describe = (): ChannelAnswer => ({ result: this.#chat() });

  statusOf(userId: number): object {
    if (userId === this.#botId) return { status: "administrator", ...this.rights };
    if (this.admins.has(userId)) return { status: "creator" };
    if (this.members.has(userId)) return { status: "member" };
    return { status: this.banned.has(userId) ? "kicked" : "left" };
  }

  settle(userId: number, isApproved: boolean): ChannelAnswer {
    if (!this.pending.delete(userId)) return { error: "Bad Request: HIDE_REQUESTER_MISSING" };
    if (isApproved) this.#change(userId, "left", "member", this.#botId);
    else this.declined.push(userId);
    return { result: true };
  }

  ban(userId: number): ChannelAnswer {
    if (this.admins.has(userId)) {
      return { error: "Bad Request: user is an administrator of the chat" };
    }
    this.banned.add(userId);
    this.pending.delete(userId);
    if (this.members.has(userId)) this.#change(userId, "member", "kicked", this.#botId);
    return { result: true };
  }

  #change(userId: number, former: string, status: string, by: number): void {
    if (status === "member") this.members.add(userId);
    else this.members.delete(userId);
    const member = (of: string) => ({ status: of, user: person(userId) });
    this.#report({
      chat_member: {
        chat: this.#chat(),
        from: person(by),
        date: 0,
        old_chat_member: member(former),
        new_chat_member: member(status),
      },
    });
  }
}

const person = (id: number) => ({ id, is_bot: false, first_name: "Ann" });

const userOf = ({ user_id: id }: ChannelCall): number => id ?? 0;

const METHODS: Record<string, (channel: FakeTelegramChannel, call: ChannelCall) => ChannelAnswer> =
  {
    getChat: (channel) => channel.describe(),
    getChatMember: (channel, call) => {
      const id = userOf(call);
      return { result: { user: person(id), ...channel.statusOf(id) } };
    },
    createChatInviteLink: (channel, call) => {
      if (call.creates_join_request && call.member_limit !== undefined) {
        return { error: "Bad Request: MEMBER_LIMIT_INVALID" };
      }
      const invite_link = `https://t.me/+invite${channel.links.length}`;
      channel.links.push(invite_link);
      return { result: { invite_link, creates_join_request: call.creates_join_request } };
    },
    approveChatJoinRequest: (channel, call) => channel.settle(userOf(call), true),
    declineChatJoinRequest: (channel, call) => channel.settle(userOf(call), false),
    banChatMember: (channel, call) => channel.ban(userOf(call)),
    unbanChatMember: (channel, call) => {
      channel.banned.delete(userOf(call));
      return { result: true };
    },
    editMessageText: (channel, { message_id: id, text = "" }) => {
      const post = channel.posts.find((one) => one.id === id);
      if (!post) return { error: "Bad Request: message to edit not found" };
      if (channel.isOld) return { error: "Bad Request: message can't be edited" };
      if (post.text === text) return { error: "Bad Request: message is not modified" };
      Object.assign(post, { text, edits: post.edits + 1 });
      return { result: { message_id: id, date: 0 } };
    },
  };
