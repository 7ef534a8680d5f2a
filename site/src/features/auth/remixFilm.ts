import { remixPicture } from '../../api/start/remixPicture.ts'

// The anchor shows the film.
const picture = location.hash === '#remix' && remixPicture()
if (picture) document.querySelector<HTMLImageElement>('#remix img')!.src = picture
