import type { Resolution } from './outputSize.ts'

/** What to render. It crosses a process border, so it is plain JSON. */
export type RenderJob = Readonly<{
  mode: 'text' | 'image'
  prompt: string
  /** The first frame, for mode `image`: a checked JPEG or PNG file. */
  imagePath?: string
  /** Ids (`push_in`) or Chinese values (推进); at most the first three count. */
  movements: readonly string[]
  resolution: Resolution
  /** Seconds. */
  duration: 6 | 10
  /** Without it the prompt's own. The same job with the same seed gives the same frames. */
  seed?: number
  /** Where the MP4 goes. */
  out: string
  /** Where a still goes: JPEG, or WebP when it ends in `.webp`. */
  posterOut?: string
  ffmpegPath?: string
}>

export type RenderResult = Readonly<{
  width: number
  height: number
  /** Seconds. */
  duration: number
  frames: number
  /** CPU time of the drawing and the encoding together, in milliseconds. */
  cpuMs: number
}>

export type MessageToChild = Readonly<{ type: 'render'; job: RenderJob }> | Readonly<{ type: 'cancel' }>

export type MessageFromChild =
  | Readonly<{ type: 'progress'; percent: number }>
  | Readonly<{ type: 'done'; result: RenderResult }>
  | Readonly<{ type: 'failed'; message: string }>
