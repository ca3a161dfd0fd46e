/** The stream that all admins share. */
export const ADMINS_STREAM = "admins";

/** Unnumbered orders to the servers themselves, such as closing a user's sockets. */
export const CONTROL_STREAM = "control";

const USER_PREFIX = "user:";

/** Name of a user's own stream. */
export const userStream = (userId: { toString(): string }): string => `${USER_PREFIX}${userId}`;

/** Id of the user whose stream it is; undefined for one that is nobody's own. */
export const userIdOf = (stream: string): string | undefined =>
  stream.startsWith(USER_PREFIX) ? stream.slice(USER_PREFIX.length) : undefined;
