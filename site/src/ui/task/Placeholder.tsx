/** A dim landscape, shown in place of a missing image. */
export function Placeholder() {
  return (
    <svg className="placeholder" viewBox="0 0 160 90" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <rect width="160" height="90" fill="#2a1a1c" />
      <circle cx="104" cy="46" r="13" fill="#ff9447" />
      <path d="M-4 58 24 38l16 11 22-20 26 24 20-12 26 17 30-16v50H-4z" fill="#5b2a30" />
      <path d="M-4 70c24-12 52-10 78-2s54 2 90-6v30H-4z" fill="#33181e" />
      <path d="M-4 82c40-8 80-4 168 0v10H-4z" fill="#1d1012" />
    </svg>
  )
}
