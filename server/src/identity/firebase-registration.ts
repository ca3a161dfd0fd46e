import type { Logger } from "@shared/node/logger.ts";
import type { FirebaseAccounts } from "./firebase-accounts.ts";
import type { FirebaseClient, FirebaseSession } from "./firebase-client.ts";
import { isRefusal } from "./firebase-error.ts";
import type { FirebaseSignIn } from "./firebase-sign-in.ts";
import type { Credentials, PreparedAccount } from "./identity-provider.ts";

interface RegistrationDeps {
  client: FirebaseClient;
  accounts: FirebaseAccounts;
  signIn: FirebaseSignIn;
  logger: Logger;
}

/**
 * Makes an account at Firebase for a user who is about to be made. If that comes to nothing the account is deleted
 * again; if even that fails it stays behind as nobody's, and a later registration that knows its password adopts it.
 * @throws FirebaseError auth/email-already-in-use
 */
export async function prepareFirebaseAccount(
  deps: RegistrationDeps,
  credentials: Credentials,
): Promise<PreparedAccount> {
  const { client, accounts, signIn } = deps;
  const { session, isNew } = await signUpOrAdopt(deps, credentials);
  const discard = async () => {
    if (isNew) await takeBack(deps, session);
  };
  try {
    const account = await signIn.describe(session, credentials.email);
    return {
      identityId: session.localId,
      sendVerification: () => client.sendVerification(session.idToken),
      store: (dbSession) => accounts.save(account, dbSession),
      discard,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function signUpOrAdopt(
  { client, accounts, signIn, logger }: RegistrationDeps,
  credentials: Credentials,
): Promise<{ session: FirebaseSession; isNew: boolean }> {
  try {
    return { session: await client.signUp(credentials), isNew: true };
  } catch (error) {
    if (!isRefusal(error, ["EMAIL_EXISTS"])) throw error;
    if ((await accounts.findIdByEmail(credentials.email)) !== null) throw error;
    const session = await signIn.try(credentials);
    if (!session) throw error;
    logger.warn({ identityId: session.localId }, "account adopted that was left at Firebase");
    return { session, isNew: false };
  }
}

async function takeBack(
  { client, logger }: RegistrationDeps,
  { idToken, localId }: FirebaseSession,
): Promise<void> {
  try {
    await client.deleteAccount(idToken);
  } catch (error) {
    logger.error({ err: error, identityId: localId }, "account left behind at Firebase");
  }
}
