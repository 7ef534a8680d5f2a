import shots from './wall/wall.json' with { type: 'json' }

const posters = import.meta.glob<string>('./wall/*.avif', { eager: true, query: '?url', import: 'default' })
const clips = import.meta.glob<string>('./wall/*.mp4', { eager: true, query: '?url', import: 'default' })

/** Looping clips of the demo renderer with their posters, prompts in both languages, sizes in pixels and three colours. */
export const WALL = shots.map(({ name, ...shot }) => ({
  ...shot,
  poster: posters[`./wall/${name}.avif`]!,
  clip: clips[`./wall/${name}.mp4`]!,
}))
