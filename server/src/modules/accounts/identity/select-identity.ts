import type { ServerDeps } from "../../../server-deps.ts";
import { BuiltinIdentity, type PasswordHashing } from "./builtin-identity.ts";
import { FirebaseClient } from "./firebase-client.ts";
import { FirebaseIdentity } from "./firebase-identity.ts";
import type { IdentityProvider } from "./identity-provider.ts";

export function selectIdentity(
  deps: Pick<ServerDeps, "settings" | "database" | "logger" | "mailer" | "now"> & {
    hashing?: PasswordHashing;
  },
): IdentityProvider {
  const { settings, database, logger, mailer, now, hashing } = deps;
  if (settings.IDENTITY_PROVIDER === "firebase") {
    const client = new FirebaseClient({
      apiKey: settings.FIREBASE_API_KEY ?? "",
      baseUrl: settings.FIREBASE_AUTH_URL,
    });
    return new FirebaseIdentity({ client, database, secret: settings.JWT_SECRET, logger });
  }
  const [webUrl = settings.VITE_API_URL] = settings.CLIENT_ORIGIN;
  return new BuiltinIdentity({ database, mailer, webUrl, now, hashing });
}
