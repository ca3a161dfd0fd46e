import type { Branding } from "@shared/contract/branding.ts";
import type { ImageType } from "@shared/contract/files.ts";
import type { Connection } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

/** How the operator's product presents itself; one document, `_id` is `branding`. */
interface BrandingRecord extends Branding {
  _id: string;
  logo?: { base64: string; contentType: ImageType; sha256: string };
  updatedAt: Date;
}

const brandingSchema = recordSchema<BrandingRecord>("branding", { _id: String });

export const brandingModels = (connection: Connection) => ({
  branding: modelOf(connection, brandingSchema),
});
