/** Stands in for the class of the same name in `kernel/media/probeMp4.ts`. */
export class UnplayableVideoError extends Error {
  override name = 'UnplayableVideoError'
}

/** Stands in for `kernel/media/probeMp4.ts`: the name of a file tells what is in it. */
export async function probeMp4(_path: string) {
  return { size: 1_000, duration: 6, width: 1_366, height: 768, frames: 144, fps: 24, codec: 'avc1', faststart: true }
}

/** Stands in for the function of the same name in `kernel/media/probeMp4.ts`. */
export async function refuseUnplayable(_path: string): Promise<void> {}
