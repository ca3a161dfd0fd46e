import { type ReactNode, useEffect, useRef } from "react";

interface ScrollBoxProps {
  title: string;
  children: ReactNode;
  className: string;
}

/**
 * Content that can be moved through where it does not fit. It is a stop of the Tab key only then, since not every
 * browser makes it one by itself.
 */
export function ScrollBox({ title, children, className }: ScrollBoxProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      const overflows =
        element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth;
      element.tabIndex = overflows ? 0 : -1;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <section ref={box} aria-label={title} className={`-outline-offset-2 ${className}`}>
      {children}
    </section>
  );
}
