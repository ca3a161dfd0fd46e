/** A text of law: what it is called, when it last changed, and its sections. */
export interface LegalDocument {
  title: string;
  lead: string;
  /** Shown as it is. */
  updated: string;
  /** For search engines. */
  description: string;
  sections: readonly LegalSection[];
}

export interface LegalSection {
  title: string;
  paragraphs: readonly string[];
}
