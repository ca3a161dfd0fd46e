import { defineChannelKind, REFUSED } from "./define-channel-kind.ts";

/** Goes to the verified address of the account. */
export const email = defineChannelKind("email", {
  name: "Email",
  isSingle: true,
  isForPeople: true,
  gone: REFUSED,
  input: {},
  target: {},
});
