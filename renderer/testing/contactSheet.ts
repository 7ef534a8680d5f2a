import { writeFileSync } from 'node:fs'
import { createCanvas } from '@napi-rs/canvas'
import { hashText } from '../random.ts'
import { readPrompt } from '../reading/readPrompt.ts'
import { buildScene } from '../scene.ts'

const [WIDTH, HEIGHT, CAPTION] = [320, 180, 16]

/** Draws one frame of each prompt, with its caption, and writes them as one JPEG file. */
export async function writeContactSheet(prompts: readonly string[], file: string, columns = 6): Promise<void> {
  const sheet = createCanvas(columns * WIDTH, Math.ceil(prompts.length / columns) * (HEIGHT + CAPTION))
  const context = sheet.getContext('2d')
  context.fillStyle = '#16141c'
  context.fillRect(0, 0, sheet.width, sheet.height)
  context.font = '11px sans-serif'
  for (const [i, prompt] of prompts.entries()) {
    const frame = createCanvas(2 * WIDTH, 2 * HEIGHT)
    const size = { width: 2 * WIDTH, height: 2 * HEIGHT, seconds: 6 }
    const draw = await buildScene({ reading: readPrompt(prompt), seed: hashText(prompt) }, size)
    draw(frame.getContext('2d', { alpha: false }), 0.55)
    const [x, y] = [(i % columns) * WIDTH, Math.floor(i / columns) * (HEIGHT + CAPTION)]
    context.imageSmoothingQuality = 'high'
    context.drawImage(frame, x, y, WIDTH, HEIGHT)
    context.fillStyle = '#f2eef6'
    context.fillText(`${i + 1} ${prompt}`.slice(0, 60), x + 3, y + HEIGHT + 12)
  }
  writeFileSync(file, await sheet.encode('jpeg', 72))
}

if (import.meta.main) {
  const [file, ...prompts] = process.argv.slice(2)
  if (file && prompts.length > 0) await writeContactSheet(prompts, file)
  else console.error('Usage: npm run sheet -w renderer -- <file.jpg> <prompt> …')
}
