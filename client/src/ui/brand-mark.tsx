/** The product's mark: three rising candles. */
export function BrandMark({ className = "size-7" }: { className?: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" className={className}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M9 12v11M16 9v12M23 6v11"
        className="stroke-on-accent"
        strokeWidth="2.5"
        strokeLinecap="round"
      />
      <g className="fill-on-accent">
        <rect x="6.5" y="15" width="5" height="6" rx="1.5" />
        <rect x="13.5" y="11.5" width="5" height="6" rx="1.5" />
        <rect x="20.5" y="8" width="5" height="6" rx="1.5" />
      </g>
    </svg>
  );
}
