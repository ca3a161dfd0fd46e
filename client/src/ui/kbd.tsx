/** The key that presses a button, beside the text of the button; for browsers with a keyboard. */
export const Kbd = ({ children }: { children: string }) => (
  <kbd
    aria-hidden
    className="rounded border border-current/40 px-1 font-sans text-xs font-normal opacity-80 pointer-coarse:hidden"
  >
    {children}
  </kbd>
);
