import { createHash } from "node:crypto";
import {
  type Branding,
  brandingSchema,
  MAX_LOGO_BYTES,
  type PublicBranding,
  type StoredBranding,
} from "@shared/contract/branding.ts";
import { DEFAULT_CONTACT_EMAIL } from "@shared/contract/constants.ts";
import type { UploadedFile } from "@shared/contract/routes/define-route.ts";
import type { Database } from "@shared/database/database.ts";
import {
  BRANDING_DOCUMENT,
  LOGO_PATH,
  productName,
  readBranding,
  styleOf,
} from "@shared/domain/branding.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { LoggedEvent } from "@shared/outbox/event-log.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { commitAsAdmin } from "../admin/security-log.ts";
import type { ImageDeps } from "../files/image-decoder.ts";

const FIELDS = brandingSchema.keyof().options;

export async function readPublicBranding(
  deps: Pick<ServerDeps, "database" | "settings">,
): Promise<PublicBranding> {
  const { logo, ...branding } = await readStoredBranding(deps);
  return {
    product_name: productName(branding),
    logo: logo ?? "",
    style: styleOf(branding, logo ? deps.settings.VITE_API_URL + logo : ""),
    demo_notice: branding.demo_notice,
    ...contactOf(branding, deps.settings),
  };
}

type ContactSettings = Pick<
  Settings,
  "NODE_ENV" | "VITE_CONTACT_EMAIL" | "VITE_CONTACT_TELEGRAM" | "VITE_CONTACT_WHATSAPP"
>;

/** What administrators have stored, or else the settings. The example address is offered outside production only. */
function contactOf(
  branding: Branding,
  settings: ContactSettings,
): Pick<PublicBranding, "contact_email" | "contact_telegram" | "contact_whatsapp"> {
  const { VITE_CONTACT_EMAIL: email, NODE_ENV } = settings;
  const isExample = email === DEFAULT_CONTACT_EMAIL && NODE_ENV === "production";
  return {
    contact_email: branding.contact_email || (isExample ? "" : email),
    contact_whatsapp: branding.contact_whatsapp || settings.VITE_CONTACT_WHATSAPP || "",
    contact_telegram: branding.contact_telegram || settings.VITE_CONTACT_TELEGRAM || "",
  };
}

/** Whether visitors can reach the operator: the example address reaches no person. */
export async function hasContact({ database, settings }: ServerDeps): Promise<boolean> {
  const ways = Object.values(contactOf(await readBranding(database), settings));
  return ways.some((way) => way !== "" && way !== DEFAULT_CONTACT_EMAIL);
}

export async function readStoredBranding({
  database,
}: Pick<ServerDeps, "database">): Promise<StoredBranding> {
  const [branding, stored] = await Promise.all([
    readBranding(database),
    database.branding.findOne(BRANDING_DOCUMENT).select({ "logo.sha256": 1 }).lean(),
  ]);
  return { ...branding, logo: stored?.logo ? `${LOGO_PATH}?v=${stored.logo.sha256}` : null };
}

/** Changes how the product presents itself. Omitted fields stay unchanged. */
export function updateBranding(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  update: Partial<Branding>,
): Promise<void> {
  const { database } = deps;
  return commitAsAdmin(deps, admin, ADMINS_STREAM, async (uow) => {
    const { session, at } = uow;
    const before = await readBranding(database, session);
    const after = brandingSchema.parse({ ...before, ...update });
    const changed = FIELDS.filter((field) => after[field] !== before[field]);
    if (changed.length === 0) return;
    await database.branding.updateOne(
      BRANDING_DOCUMENT,
      { $set: { ...after, updatedAt: at } },
      { session, upsert: true },
    );
    announceBranding(uow);
    for (const field of changed) {
      const details = { field, before: before[field], after: after[field] };
      uow.log({ type: "branding:changed", user: null, details });
    }
  });
}

/** Stores a logo, encoded again as every image. @throws AppError not-an-image, file-too-large */
export async function saveLogo(
  deps: ImageDeps,
  admin: AuthenticatedSession,
  file: UploadedFile,
): Promise<void> {
  const { bytes, contentType } = await deps.images.sanitize(file, admin.user._id.toString());
  if (bytes.length > MAX_LOGO_BYTES) {
    const limit = `${MAX_LOGO_BYTES / 1_024} KB`;
    throw new AppError(
      "file-too-large",
      `Use a logo of at most ${limit}, such as 256 × 256 pixels.`,
    );
  }
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const logo = { base64: bytes.toString("base64"), contentType, sha256 };
  await changeLogo(deps, admin, { $set: { logo } }, "changed");
}

export const deleteLogo = (deps: ServerDeps, admin: AuthenticatedSession): Promise<void> =>
  changeLogo(deps, admin, { $unset: { logo: 1 } }, "deleted");

function changeLogo(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  update: Parameters<Database["branding"]["updateOne"]>[1],
  what: "changed" | "deleted",
): Promise<void> {
  return commitAsAdmin(deps, admin, ADMINS_STREAM, async (uow) => {
    const options = { session: uow.session, upsert: true };
    await deps.database.branding.updateOne(BRANDING_DOCUMENT, update, options);
    announceBranding(uow);
    uow.log({ type: "branding:changed", user: null, details: { field: "logo", after: what } });
  });
}

const BRANDING_CHANGED = "branding:changed";

/** Lets all servers push the branding to their sockets once the unit of work is committed. */
const announceBranding = (uow: Pick<UnitOfWork, "addInstruction">): void =>
  uow.addInstruction(BRANDING_CHANGED, {});

export const isBrandingChange = ({ name }: Pick<LoggedEvent, "name">): boolean =>
  name === BRANDING_CHANGED;

/** Of the web page that asks for it, or else of the first one that the settings name. */
export async function readManifest(
  { database, settings }: Pick<ServerDeps, "database" | "settings">,
  origin: string,
) {
  const origins = settings.CLIENT_ORIGIN.map((address) => new URL(address).origin);
  const page = origins.find((known) => known === origin) ?? origins[0];
  const branding = await readBranding(database);
  const icon = (name: string, size: number) => ({
    src: `${page}/${name}-${size}.png`,
    sizes: `${size}x${size}`,
    type: "image/png",
  });
  return {
    name: productName(branding),
    short_name: branding.product_name || "AI Trading",
    description: "AI-powered trading signals for crypto, metals, forex and index markets.",
    id: "/",
    start_url: `${page}/dashboard`,
    scope: `${page}/`,
    display: "standalone",
    background_color: "#0a0d12",
    theme_color: "#0a0d12",
    icons: [
      ...ICON_SIZES.map((size) => icon("icon", size)),
      ...ICON_SIZES.map((size) => ({ ...icon("icon-maskable", size), purpose: "maskable" })),
    ],
  };
}

const ICON_SIZES = [192, 512];

export async function findLogo({ database }: Pick<ServerDeps, "database">) {
  const stored = await database.branding.findOne(BRANDING_DOCUMENT).select({ logo: 1 }).lean();
  if (!stored?.logo) return null;
  const { base64, contentType } = stored.logo;
  return { bytes: Buffer.from(base64, "base64"), contentType };
}
