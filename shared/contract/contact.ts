/** Address for questions where the operator has set no other. */
export const DEFAULT_CONTACT_EMAIL = "support@example.com";
