import { create } from "zustand";

/** Registrations and payment proofs that have come in since the admin page was last in view in this tab. */
export const useAdminNews = create<{ unseen: number }>()(() => ({ unseen: 0 }));
