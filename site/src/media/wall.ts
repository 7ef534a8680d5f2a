import { fileIn } from './fileIn.ts'
import shots from './wall/wall.json' with { type: 'json' }

const posters = import.meta.glob<string>('./wall/posters/*.avif', { eager: true, query: '?url', import: 'default' })
const clips = import.meta.glob<string>('./wall/clips/*.mp4', { eager: true, query: '?url', import: 'default' })

/** Looping clips of the demo renderer with their posters, prompts in both languages, and sizes in pixels. */
export const WALL = shots.map(({ poster, clip, ...shot }) => ({
  ...shot,
  poster: fileIn(posters, `./wall/${poster}`),
  clip: fileIn(clips, `./wall/${clip}`),
}))
