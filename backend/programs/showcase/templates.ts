import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { partsOf, textOf } from '../../tasks/contract.ts'
import { parseTemplate } from '../../tasks/templates/templates.ts'
import { FPS, film, halved, PUBLIC, ROOT, takeStill, writeClip, writePicture } from './shoot.ts'

const FRAME = { width: 640, height: 360, seconds: 5 }
const SECONDS = 2.5
/** Part of the film before the clip: at first, some figures are still beside the picture. */
const START = 0.3
const [STILL_KILOBYTES, CRF] = [5, 33]

/** Renders a short clip and a still for each shipped template. */
export async function renderTemplates(): Promise<void> {
  const folder = path.join(ROOT, 'content/templates')
  for (const file of await readdir(folder)) {
    const {
      prompt,
      seed = 1,
      camera_movements: movements,
    } = parseTemplate(JSON.parse(await readFile(path.join(folder, file), 'utf8')))
    const draw = await film({ prompt: textOf(partsOf(prompt.en)), seed, movements }, undefined, FRAME)
    const out = (ending: string) => path.join(PUBLIC, 'templates', `${path.basename(file, '.json')}.${ending}`)
    await writePicture(takeStill(draw, START, FRAME), out('avif'), STILL_KILOBYTES)
    const large = createCanvas(FRAME.width, FRAME.height)
    const context = large.getContext('2d', { alpha: false })
    const frames = Math.round(FPS * SECONDS)
    await writeClip({ out: out('mp4'), width: 320, height: 180, frames, crf: CRF }, (frame) => {
      draw(context, START + frame / FPS / FRAME.seconds)
      return halved(large)
    })
  }
}
