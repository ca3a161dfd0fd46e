import { type ReactNode, useEffect, useRef, useState } from "react";

/** Shows its children once it has come into view; before that, a placeholder of their size. */
export function WhenInView({
  placeholder = null,
  children,
}: {
  placeholder?: ReactNode;
  children: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (!box.current) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      observer.disconnect();
      setSeen(true);
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={box} className="h-full">
      {isSeen ? children : placeholder}
    </div>
  );
}
