import { remixPicture } from '../../api/start/remixPicture.ts'

// The anchor shows the film.
const picture = location.hash === '#remix' && remixPicture()
if (picture) {
  const still = Object.assign(new Image(96, 54), { className: 'rounded', alt: '', src: picture })
  document.getElementById('remix')?.prepend(still)
}
