/** Plays the film of a page as soon as motion is welcome, and counts the view. */
const film = document.querySelector<HTMLVideoElement>('video[data-film]')

type Connection = { readonly saveData?: boolean; readonly effectiveType?: string }
const { connection } = navigator as Navigator & { connection?: Connection }
const isSlow = connection?.saveData || /2g/.test(connection?.effectiveType ?? '')

if (film && !isSlow && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
  // Browsers start films without a gesture only if they are silent.
  film.muted = true
  film.play().catch(() => {})
}
if (film) navigator.sendBeacon?.(`/api/v1/shares/${film.dataset.film}/views`)
