import { create } from "zustand";

/** Admin notifications since the admin page was last in view in this tab. */
export const useAdminNews = create<{ unseen: number }>()(() => ({ unseen: 0 }));
