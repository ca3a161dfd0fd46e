let title = globalThis.document?.title ?? "";
let unseen = 0;

function show(): void {
  document.title = unseen > 0 ? `(${unseen}) ${title}` : title;
}

/** Names the screen in the browser's tab. */
export function setPageTitle(next: string): void {
  title = next;
  show();
}

/** Puts the number of what has happened unseen before the title; nothing for 0. */
export function setUnseenCount(count: number): void {
  unseen = count;
  show();
}
