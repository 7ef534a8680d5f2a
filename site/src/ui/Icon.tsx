import { ICONS, type IconName } from './icons.ts'

/** A decorative icon, hidden from screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {ICONS[name].map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  )
}
